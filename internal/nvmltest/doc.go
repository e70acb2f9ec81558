// Package nvmltest is a stand-in for NVIDIA's libnvidia-ml.so.1: a small C library that is
// loaded the way the real one is and answers from a text file, which a test rewrites to move
// the world on.
//
// A process binds to the first NVML it loads for as long as it lives. So each test runs in a
// process of its own (see Isolate), or starts a program that has World.Env in its
// environment.
//
// # State file
//
// Lines of a key, a space and a value; later lines win. Return codes and enumerations are
// numbers as in nvml.h. <d> is an index of a GPU, and whatever is said of device.<d> can be
// said of its MIG devices, device.<d>.mig.<slot>. The file is looked at in nvmlInit,
// nvmlDeviceGetCount, nvmlDeviceRegisterEvents, nvmlEventSetWait and calls that hang.
//
//	init.ret, init.block_ms                 answer of nvmlInit unless it has succeeded before
//	driver_version                          without it there is no driver
//	nvml_version, cuda_version              cuda_version as 13010
//	devices                                 number of GPUs
//	handles                                 by_uuid: handles follow the GPU, not the index
//	all.ret                                 answer of all calls after nvmlInit
//	process.<pid>                           name of a process
//	event.<n>                               <device> <type> <data> <gi> <ci>, -1 if not told;
//	                                        n counts from 0, and each n is told once
//	<Name>.ret, <Name>.block_ms             calls without a device, by their name without nvml:
//	                                        DeviceGetCount, EventSetWait, GpmMetricsGet, ...
//
//	device.<d>.uuid, .name, .serial, .vbios, .part, .pci (as 00000000:1B:00.0),
//	.pci_device_id, .pci_subsystem_id, .minor, .arch, .brand, .cc (as 9.0)
//	device.<d>.handle.ret                   answer of nvmlDeviceGetHandleByIndex
//	device.<d>.all.ret                      for all calls on the GPU and its MIG devices,
//	                                        nvmlDeviceGetHandleByIndex and nvmlDeviceGetUUID too
//	device.<d>.all.block_ms                 for all calls on this handle
//	device.<d>.<Name>.ret                   nvmlDevice<Name>, or nvml<Name> for Gpm*; a call
//	                                        that is not listed answers NOT_SUPPORTED, unless
//	                                        a field above or below answers it
//	device.<d>.<Name>.block_ms              the call hangs so long, or until this line is gone
//	device.<d>.<Name>.<field>               what a call that succeeds answers, see below
//	device.<d>.mig                          enabled or disabled; a GPU without the line has no MIG
//	device.<d>.mig_pending, .mig_max        mig_max: slots, 7 if not told
//	device.<d>.mig.<slot>.uuid, .gi, .ci    a slot without a uuid is a hole
//	device.<d>.field.<id>.<scope>           <return> <value type> <value>
//	device.<d>.samples.<kind>               <value type> <µs>:<value> ..., the oldest first
//	device.<d>.compute, .graphics, .mps     <pid>:<bytes>:<gi>:<ci> ...; "-" is not available
//	device.<d>.process_utilization          <pid>:<µs>:<sm>:<memory>:<encoder>:<decoder> ...
//	device.<d>.gpm, device.<d>.gi.<gi>.gpm  <metric>=<level> or <metric>=!<return> ...
//
// Fields of calls:
//
//	GetUtilizationRates                     gpu, memory
//	Get{Encoder,Decoder,Jpg,Ofa}Utilization percent
//	GetMemoryInfo                           total, free, used
//	GetMemoryInfo_v2                        total, reserved, free, used
//	GetBAR1MemoryInfo                       total, free, used
//	GetTemperature, GetTemperatureV, GetMarginTemperature  celsius
//	GetTemperatureThreshold                 shutdown, slowdown, mem_max, gpu_max
//	GetPowerUsage, GetEnforcedPowerLimit, GetPowerManagementLimit,
//	GetPowerManagementDefaultLimit          milliwatts
//	GetPowerManagementLimitConstraints      min, max
//	GetTotalEnergyConsumption               millijoules
//	GetNumFans                              fans
//	GetFanSpeed                             percent
//	GetFanSpeed_v2, GetFanSpeedRPM          one field per fan: 0, 1, ...
//	GetClockInfo, GetMaxClockInfo           graphics_mhz, sm_mhz, mem_mhz, video_mhz
//	Get{Current,Supported}Clocks{Event,Throttle}Reasons    reasons
//	GetPerformanceState                     pstate
//	GetEccMode                              current, pending
//	GetTotalEccErrors                       {corrected,uncorrected}_{volatile,aggregate}
//	GetMemoryErrorCounter                   the same, with _l1, _l2, _dram, _register,
//	                                        _texture, _shared, _cbu or _sram
//	GetRemappedRows                         correctable, uncorrectable, pending, failed
//	GetRetiredPages, GetRetiredPages_v2     single_bit, double_bit
//	GetRetiredPagesPendingStatus            pending
//	GetSramEccErrorStatus                   {corrected,parity,secded}_{volatile,aggregate},
//	                                        threshold_exceeded
//	Get{Curr,Max}PcieLinkGeneration         generation
//	Get{Curr,Max}PcieLinkWidth              width
//	GetPcieThroughput                       tx_kb, rx_kb
//	GetPcieReplayCounter                    replays
//	GetNvLinkState                          one field per link: 0, 1, ...
//	GetNvLinkErrorCounter                   <link>_{replay,recovery,crc_flit,crc_data,ecc_data}
//	GetGpuFabricInfo, GetGpuFabricInfoV     state, status, clique, health_mask, health_summary
//	GetPersistenceMode, GetVirtualizationMode  mode
//	GetAttributes                           multiprocessors, copy_engines, decoders, encoders,
//	                                        jpegs, ofas, gpu_slices, compute_slices, memory_mib
//	GetProcessUtilization                   grow: that many times in a process's life one appears between the
//	                                        question for the size and that for the rows;
//	                                        capacity: the least size that is told
//	GetSupportedEventTypes                  types
//	GpmQueryDeviceSupport                   supported
//	GpmQueryIfStreamingEnabled              enabled
//
// GetSamples, GetFieldValues, the Get*RunningProcesses, GpmSampleGet and GpmMigSampleGet take
// only ret and block_ms.
package nvmltest
