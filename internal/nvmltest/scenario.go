package nvmltest

// Scenario is a machine with GPUs and what happens to it over time.
type Scenario struct {
	NVML     NVML     `yaml:"nvml"`
	Timeline []Change `yaml:"timeline,omitempty"`
	Events   []Event  `yaml:"events,omitempty"`
	// LivePIDs are the processes that exist. They are no part of the state: the test makes
	// a /proc of them.
	LivePIDs []int `yaml:"live_pids,omitempty"`
}

// NVML is the driver with its GPUs.
type NVML struct {
	Init          Init   `yaml:"Init"`
	DriverVersion string `yaml:"driver_version,omitempty"`
	NVMLVersion   string `yaml:"nvml_version,omitempty"`
	CUDAVersion   int    `yaml:"cuda_version,omitempty"` // as 13010
	// Handles "by_uuid" follow the GPU, others the index.
	Handles string `yaml:"handles,omitempty"`
	// MissingSymbols go to Library.
	MissingSymbols []string `yaml:"missing_symbols,omitempty"`
	// Calls are those without a device, by name without nvml: EventSetWait, GpmMetricsGet.
	Calls        map[string]Answer `yaml:"calls,omitempty"`
	ProcessNames map[int]string    `yaml:"process_names,omitempty"`
	Devices      []Device          `yaml:"devices"`
}

// Init is what nvmlInit answers over time; none is SUCCESS.
type Init []InitStep

// InitStep holds until a time; 0 is forever.
type InitStep struct {
	UntilS float64 `yaml:"until_s,omitempty"`
	Ret    string  `yaml:"ret"`
}

// Device is a GPU or a MIG device. What is empty or not listed answers NOT_SUPPORTED.
type Device struct {
	Index             int    `yaml:"index"`
	UUID              string `yaml:"uuid"`
	Name              string `yaml:"name,omitempty"`
	Serial            string `yaml:"serial,omitempty"`
	VBIOS             string `yaml:"vbios,omitempty"`
	PCI               string `yaml:"pci,omitempty"`          // as 00000000:1B:00.0
	Architecture      uint32 `yaml:"architecture,omitempty"` // NVML_DEVICE_ARCH_*
	ComputeCapability string `yaml:"cc,omitempty"`           // as 9.0

	// Handle is the answer of nvmlDeviceGetHandleByIndex.
	Handle string `yaml:"handle,omitempty"`
	// AllCalls answer so, and BlockSeconds before they do.
	AllCalls     string  `yaml:"all_calls,omitempty"`
	BlockSeconds float64 `yaml:"block_seconds,omitempty"`

	// Calls by name without nvmlDevice; Gpm* without nvml.
	Calls  map[string]Answer `yaml:"calls,omitempty"`
	Fields []Field           `yaml:"fields,omitempty"`
	// Samples by nvmlSamplingType_t.
	Samples map[uint32]Samples `yaml:"samples,omitempty"`
	// GPM levels by nvmlGpmMetricId_t, percent or MiB/s; GPMErrors are return codes.
	GPM       map[uint32]float64 `yaml:"gpm,omitempty"`
	GPMErrors map[uint32]string  `yaml:"gpm_errors,omitempty"`

	Compute            []Process            `yaml:"compute,omitempty"`
	Graphics           []Process            `yaml:"graphics,omitempty"`
	MPS                []Process            `yaml:"mps,omitempty"`
	ProcessUtilization []ProcessUtilization `yaml:"process_utilization,omitempty"`

	MIG        string   `yaml:"mig,omitempty"` // enabled, disabled, "": has no MIG
	MaxMIG     int      `yaml:"max_mig,omitempty"`
	MIGDevices []Device `yaml:"mig_devices,omitempty"`

	// For MIG devices. Slot 0 is the place in the list.
	GI      int    `yaml:"gi,omitempty"`
	CI      int    `yaml:"ci,omitempty"`
	Profile string `yaml:"profile,omitempty"` // as 3g.40gb
	Slot    int    `yaml:"slot,omitempty"`
}

// Answer of a call: a return code, "" being SUCCESS, and its fields in NVML's units.
type Answer struct {
	Ret          string           `yaml:"ret,omitempty"`
	BlockSeconds float64          `yaml:"block_seconds,omitempty"`
	Values       map[string]int64 `yaml:",inline"`
}

// Field is the answer for one id and scope of nvmlDeviceGetFieldValues.
type Field struct {
	ID    uint32 `yaml:"id"`
	Scope uint32 `yaml:"scope,omitempty"`
	Ret   string `yaml:"ret,omitempty"`
	Type  string `yaml:"type,omitempty"` // double, uint, ulong, ulonglong (if empty), longlong, int, ushort
	// Value is an integer or a float.
	Value any `yaml:"value,omitempty"`
}

// Samples are the driver's ring buffer, the oldest first.
type Samples struct {
	Type string   `yaml:"type,omitempty"` // uint if empty
	List []Sample `yaml:"list"`
}

// Sample is one value at a time in µs.
type Sample struct {
	Time  uint64 `yaml:"time"`
	Value uint64 `yaml:"value"`
}

// Process on a GPU; nil is not available.
type Process struct {
	PID    int     `yaml:"pid"`
	Memory *uint64 `yaml:"memory,omitempty"`
	GI     *int    `yaml:"gi,omitempty"`
	CI     *int    `yaml:"ci,omitempty"`
}

// ProcessUtilization is one row of nvmlDeviceGetProcessUtilization, time in µs and the rest
// in percent.
type ProcessUtilization struct {
	PID     int    `yaml:"pid"`
	Time    uint64 `yaml:"time"`
	SM      uint32 `yaml:"sm"`
	Memory  uint32 `yaml:"memory"`
	Encoder uint32 `yaml:"encoder"`
	Decoder uint32 `yaml:"decoder"`
}

// Event is an event at a time, or, with Register, how a device answers
// nvmlDeviceRegisterEvents. Devices with events support the types of DefaultEvents. What is
// in the first state that a process sees has happened before it could register.
type Event struct {
	AtS      float64 `yaml:"at_s,omitempty"`
	Device   int     `yaml:"device"` // its index then; -1 is not told
	Register string  `yaml:"register,omitempty"`
	Xid      uint64  `yaml:"xid,omitempty"` // event data
	Type     uint64  `yaml:"type,omitempty"`
	GI       *int    `yaml:"gi,omitempty"`
	CI       *int    `yaml:"ci,omitempty"`
}

// XidEvent is nvmlEventTypeXidCriticalError.
const XidEvent = 0x8

// DefaultEvents are ECC errors, P-states, Xids and clocks.
const DefaultEvents = 0x1 | 0x2 | 0x4 | XidEvent | 0x10

// Change holds from a scrape or a time on, whichever is given.
type Change struct {
	Scrape int     `yaml:"scrape,omitempty"`
	AtS    float64 `yaml:"at_s,omitempty"`
	// Device is an index before any swap; nil is all.
	Device *int `yaml:"device,omitempty"`

	// AllCalls of the device answer so.
	AllCalls string `yaml:"all_calls,omitempty"`
	// BlockSeconds is how long calls hang: Call, or all if it is empty.
	BlockSeconds float64 `yaml:"block_seconds,omitempty"`
	Call         string  `yaml:"call,omitempty"`
	// Calls are other answers; without a return code only what is told is another.
	Calls map[string]Answer `yaml:"calls,omitempty"`
	// Handle is what nvmlDeviceGetHandleByIndex answers.
	Handle string `yaml:"handle,omitempty"`
	// MIG and MIGDevices are another partition.
	MIG        string   `yaml:"mig,omitempty"`
	MIGDevices []Device `yaml:"mig_devices,omitempty"`
	// Remove takes the device away; the ones behind it move up.
	Remove bool `yaml:"remove,omitempty"`
	// SwapIndex are two indices.
	SwapIndex Swap `yaml:"swap_index,omitempty"`
}

// Swap is a pair of indices; true stands for 0 and 1.
type Swap []int
