// Package driver is what the receiver asks of the GPU driver: the narrow part of NVML that
// it reads, as plain Go values, so that nothing above it needs cgo.
//
// Nothing in it sets anything on a device. Every call may block as long as the driver
// pleases; the callers bound that. Calls are safe for concurrent use, as NVML's are.
package driver

// Library is the one NVML library of the process.
type Library interface {
	// Init loads the library and connects to the driver. It may be called again after a
	// failure or after Shutdown.
	Init() Return
	// Shutdown releases what Init took. No other call may be in flight.
	Shutdown() Return
	// Versions are known after Init.
	Versions() Versions
	// DeviceCount counts GPUs, also those that this process may not open.
	DeviceCount() (int, Return)
	// Device is the GPU at an index, which is no identity: indices move.
	Device(index int) (Device, Return)
	// NewEventSet makes a set for critical events; the caller frees it.
	NewEventSet() (EventSet, Return)
	// GPMMetrics computes the values between two samples of the same device or instance,
	// the older first. Each value has a Return of its own. Calls run one at a time.
	GPMMetrics(older, newer GPMSample, values []GPMValue) Return
}

// Versions of the installed software; "" is unknown.
type Versions struct {
	Driver string // as 580.65.06
	NVML   string // as 13.580.65.06
	CUDA   string // as 13.1
}

// Device is a GPU or, where MIG is said, a MIG device. A Device is comparable and stays
// valid until Shutdown, yet may then speak of another GPU: ask its UUID.
type Device interface {
	UUID() (string, Return)
	// Identity reads what does not change while the driver is loaded.
	Identity() Identity

	// Utilization is in percent: kernels resident, and the memory controller busy.
	Utilization() (gpu, memory uint32, ret Return)
	// Samples appends the driver's samples after since (µs of the driver's clock) to buf.
	Samples(kind SampleKind, since uint64, buf []Sample) ([]Sample, Return)
	EncoderUtilization() (percent uint32, ret Return)
	DecoderUtilization() (percent uint32, ret Return)
	Memory() (Memory, Return)

	Temperature() (celsius int32, ret Return)
	TemperatureThreshold(Threshold) (celsius uint32, ret Return)
	TemperatureMargin() (celsius int32, ret Return)
	Power() (milliwatts uint32, ret Return)
	PowerLimit() (milliwatts uint32, ret Return)
	// Energy is counted since the driver was loaded.
	Energy() (millijoules uint64, ret Return)
	Fans() (int, Return)
	// FanSpeed is the intended speed in percent of the maximum; it may exceed 100.
	FanSpeed(fan int) (percent uint32, ret Return)

	Clock(Clock) (megahertz uint32, ret Return)
	// ClockLimits are the reasons that hold the clocks down now, a set of ClockLimit.
	ClockLimits() (ClockLimit, Return)
	SupportedClockLimits() (ClockLimit, Return)
	PerformanceState() (int, Return)

	// ECCErrors counts since the driver was loaded.
	ECCErrors(uncorrected bool) (uint64, Return)
	MemoryErrors(uncorrected, aggregate bool, location MemoryLocation) (uint64, Return)
	RemappedRows() (RemappedRows, Return)
	// FieldValues fills the values, each with a Return of its own.
	FieldValues(values []FieldValue) Return

	// PCIeThroughput blocks 20 ms. The unit is KB/s, not said whether of 1000 or 1024.
	PCIeThroughput(receive bool) (kilobytes uint32, ret Return)
	PCIeLink(LinkValue) (uint32, Return)
	FabricState() (FabricState, Return)

	// MIGMode tells whether MIG is on now. NotSupported: the GPU has no MIG.
	MIGMode() (on bool, ret Return)
	MaxMIGDevices() (int, Return)
	// MIGDevice answers NotFound for a hole.
	MIGDevice(index int) (Device, Return)
	// MIGInstance is for MIG devices: the GPU instance and the compute instance in it.
	MIGInstance() (gpu, compute uint32, ret Return)
	// MIGSlice is for MIG devices: what of the GPU it has.
	MIGSlice() (MIGSlice, Return)

	Processes(ProcessKind) ([]Process, Return)
	// ProcessUtilization gives samples after since (µs of the driver's clock).
	ProcessUtilization(since uint64) ([]ProcessSample, Return)

	GPMSupported() (bool, Return)
	// GPMSample takes a sample of the GPU, or of one of its GPU instances if instance >= 0.
	// The caller frees it. Calls run one at a time.
	GPMSample(instance int) (GPMSample, Return)

	SupportedEvents() (EventType, Return)
}

// Identity is what does not change while the driver is loaded; "" is unknown.
type Identity struct {
	Name         string // product name, as NVIDIA H200
	Serial       string
	PCIAddress   string // as 00000000:1B:00.0
	VBIOS        string
	Architecture string // hopper, blackwell, ...; "" if newer than this program
	// Minor is the n of /dev/nvidia<n>, if HasMinor.
	Minor    int
	HasMinor bool
}

// SampleKind is nvmlSamplingType_t.
type SampleKind uint32

// SampleUtilization is the percentage of time with a kernel resident.
const SampleUtilization SampleKind = 1

// Sample is one entry of the driver's ring buffer.
type Sample struct {
	Time  uint64 // µs of the driver's clock
	Value float64
}

// Memory in bytes. Used holds the reserved bytes unless HasReserved.
type Memory struct {
	Total, Used, Reserved uint64
	HasReserved           bool
}

// Threshold is nvmlTemperatureThresholds_t.
type Threshold uint32

// The thresholds of GPUs before Ada.
const (
	ThresholdShutdown Threshold = 0
	ThresholdSlowdown Threshold = 1
)

// Clock is nvmlClockType_t.
type Clock uint32

// The clock domains.
const (
	ClockGraphics Clock = 0
	ClockSM       Clock = 1
	ClockMemory   Clock = 2
	ClockVideo    Clock = 3
)

// ClockLimit is a set of nvmlClocksEventReason bits.
type ClockLimit uint64

// The reasons; nvml.h 13.4.
const (
	LimitIdle          ClockLimit = 0x1
	LimitAppClocks     ClockLimit = 0x2
	LimitSWPowerCap    ClockLimit = 0x4
	LimitHWSlowdown    ClockLimit = 0x8
	LimitSyncBoost     ClockLimit = 0x10
	LimitSWThermal     ClockLimit = 0x20
	LimitHWThermal     ClockLimit = 0x40
	LimitHWPowerBrake  ClockLimit = 0x80
	LimitDisplayClocks ClockLimit = 0x100
	LimitBoard         ClockLimit = 0x200
	LimitReliability   ClockLimit = 0x400
)

// MemoryLocation is nvmlMemoryLocation_t.
type MemoryLocation uint32

// The locations that are counted.
const (
	LocationL1       MemoryLocation = 0
	LocationL2       MemoryLocation = 1
	LocationDRAM     MemoryLocation = 2
	LocationRegister MemoryLocation = 3
	LocationTexture  MemoryLocation = 4
	LocationSRAM     MemoryLocation = 7
)

// RemappedRows of the GPU's memory (Ampere and newer).
type RemappedRows struct {
	Correctable, Uncorrectable int
	Pending, Failed            bool
}

// FieldValue asks for one field and holds the answer.
type FieldValue struct {
	ID, Scope uint32
	Return    Return
	// Wraps32 tells that the driver gives the value as 32 bits.
	Wraps32 bool
	Value   float64
	Uint    uint64 // Value without loss, for the unsigned kinds
}

// The fields that are read; their ids are the same in all drivers, but for those of
// ThermalFieldsDriver.
const (
	FieldSWPowerCapTime       uint32 = 74 // ns
	FieldThermalTime          uint32 = 75 // ns
	FieldSyncBoostTime        uint32 = 76 // ns
	FieldBoardLimitTime       uint32 = 77 // ns
	FieldReliabilityTime      uint32 = 79 // ns
	FieldMemoryTemperature    uint32 = 82 // °C
	FieldNVLinkCount          uint32 = 91
	FieldPCIeReplays          uint32 = 94
	FieldNVLinkDataTransmit   uint32 = 138 // KiB; scope: link, or AllLinks for the sum
	FieldNVLinkDataReceive    uint32 = 139
	FieldNVLinkReplayErrors   uint32 = 161 // scope: link
	FieldNVLinkRecoveryErrors uint32 = 162
	FieldNVLinkCRCErrors      uint32 = 163
	FieldPowerInstant         uint32 = 186 // mW; scope 0 the GPU, 1 the module
	FieldPCIeTransmitBytes    uint32 = 197
	FieldPCIeReceiveBytes     uint32 = 198
	FieldNVLink5Transmit      uint32 = 202 // bytes; scope: link; Blackwell and newer
	FieldNVLink5Receive       uint32 = 204
	FieldNVLink5ReceiveErrors uint32 = 208
	FieldNVLink5Recoveries    uint32 = 215
	FieldRecoveryAction       uint32 = 230
	FieldSWThermalTime        uint32 = 269 // ns
	FieldHWThermalTime        uint32 = 270
	FieldHWPowerBrakeTime     uint32 = 271

	// AllLinks is the scope of a sum over links.
	AllLinks uint32 = 0xFFFFFFFF
)

// ThermalFieldsDriver is the first driver that numbers FieldSWThermalTime,
// FieldHWThermalTime and FieldHWPowerBrakeTime as here; older ones mean other fields by the
// same ids (nvml.h of CUDA 12.9 and 13.0).
const ThermalFieldsDriver = "580.82"

// LinkValue is one of the four numbers of a PCIe link.
type LinkValue int

// What PCIeLink reads.
const (
	LinkGeneration LinkValue = iota
	LinkWidth
	LinkMaxGeneration
	LinkMaxWidth
)

// FabricState is nvmlGpuFabricState_t.
type FabricState int

// The states of a GPU in an NVSwitch fabric.
const (
	FabricNotSupported FabricState = 0
	FabricNotStarted   FabricState = 1
	FabricInProgress   FabricState = 2
	FabricCompleted    FabricState = 3
)

// MIGSlice is what a MIG device has of its GPU.
type MIGSlice struct {
	Profile         string // as 3g.40gb or 1c.3g.40gb; "" is unknown
	Multiprocessors uint32
}

// ProcessKind tells by what a process uses the GPU.
type ProcessKind int

// The lists of processes that the driver keeps; a process may be in several.
const (
	ProcessCompute ProcessKind = iota
	ProcessGraphics
	ProcessMPS
)

// Process on a GPU. PID is of the host's namespace.
type Process struct {
	PID uint32
	// Memory in bytes, if HasMemory.
	Memory    uint64
	HasMemory bool
	// GPUInstance is -1 where the GPU has no MIG.
	GPUInstance int
}

// ProcessSample is what one process used lately, in percent.
type ProcessSample struct {
	PID                          uint32
	Time                         uint64 // µs of the driver's clock
	SM, Memory, Encoder, Decoder uint32
}

// GPMSample is a snapshot of the performance counters of a GPU of the Hopper generation or
// newer. It must be freed before Shutdown.
type GPMSample interface{ Free() }

// GPMValue asks for one metric and holds the answer. Percentages run from 0 to 100.
type GPMValue struct {
	ID     uint32
	Return Return
	Value  float64
}

// The metrics that are read; nvmlGpmMetricId_t.
const (
	GPMSMUtilization uint32 = 2
	GPMSMOccupancy   uint32 = 3
	GPMInteger       uint32 = 4
	GPMTensor        uint32 = 5
	GPMDRAMBandwidth uint32 = 10
	GPMFP64          uint32 = 11
	GPMFP32          uint32 = 12
	GPMFP16          uint32 = 13
)

// EventType is a set of nvmlEventType bits.
type EventType uint64

// The critical events.
const (
	EventDoubleBitECC   EventType = 0x2
	EventXid            EventType = 0x8
	EventFatalPoison    EventType = 0x2000
	EventGPUUnavailable EventType = 0x4000
	EventRecoveryAction EventType = 0x8000
)

// EventSet waits for events of the devices registered in it.
type EventSet interface {
	// Register adds a device; events before it are never told.
	Register(device Device, types EventType) Return
	// Wait blocks up to timeoutMillis; Timeout tells that nothing came.
	Wait(timeoutMillis uint32) (Event, Return)
	Free()
}

// Event is one critical event. Instances are -1 where they are not told.
type Event struct {
	Device          Device // nil if the driver did not say
	Type            EventType
	Data            uint64 // the Xid; 999 is unknown
	GPUInstance     int
	ComputeInstance int
}
