//go:build linux && cgo

package gonvml

// symbol is a C function that the binding may call for this package.
type symbol int

// Where the binding has chosen among versions by what the library exports, those that it
// may choose stand together, and a call needs any one of them.
const (
	symInitV2 symbol = iota
	symInit
	symShutdown
	symDriverVersion
	symNVMLVersion
	symCUDAVersion
	symCountV2
	symCount
	symHandleByIndexV2
	symHandleByIndex
	symUUID
	symName
	symSerial
	symMinorNumber
	symVBIOSVersion
	symPCIInfoV3
	symPCIInfoV2
	symPCIInfo
	symArchitecture
	symUtilization
	symSamples
	symEncoderUtilization
	symDecoderUtilization
	symMemoryInfoV2
	symMemoryInfo
	symTemperatureV
	symTemperature
	symTemperatureThreshold
	symMarginTemperature
	symPowerUsage
	symEnforcedPowerLimit
	symTotalEnergy
	symNumFans
	symFanSpeedV2
	symFanSpeed
	symClockInfo
	symEventReasons
	symThrottleReasons
	symSupportedEventReasons
	symSupportedThrottleReasons
	symPerformanceState
	symTotalECCErrors
	symMemoryErrorCounter
	symRemappedRows
	symFieldValues
	symPCIeThroughput
	symLinkGeneration
	symLinkWidth
	symLinkMaxGeneration
	symLinkMaxWidth
	symFabricInfoV
	symFabricInfo
	symMIGMode
	symMaxMIGDevices
	symMIGDeviceByIndex
	symGPUInstanceID
	symComputeInstanceID
	symAttributesV2
	symAttributes
	symComputeProcessesV3
	symComputeProcessesV2
	symComputeProcesses
	symGraphicsProcessesV3
	symGraphicsProcessesV2
	symGraphicsProcesses
	symMPSProcessesV3
	symMPSProcessesV2
	symMPSProcesses
	symProcessUtilization
	symGPMSupport
	symGPMSampleAlloc
	symGPMSampleGet
	symGPMMIGSampleGet
	symGPMSampleFree
	symGPMMetricsGet
	symSupportedEvents
	symRegisterEvents
	symEventSetCreate
	symEventSetWaitV2
	symEventSetWait
	symEventSetFree

	symbolCount
)

// symbolNames are the names in nvml.h 13.4.
var symbolNames = [symbolCount]string{
	symInitV2:                   "nvmlInit_v2",
	symInit:                     "nvmlInit",
	symShutdown:                 "nvmlShutdown",
	symDriverVersion:            "nvmlSystemGetDriverVersion",
	symNVMLVersion:              "nvmlSystemGetNVMLVersion",
	symCUDAVersion:              "nvmlSystemGetCudaDriverVersion",
	symCountV2:                  "nvmlDeviceGetCount_v2",
	symCount:                    "nvmlDeviceGetCount",
	symHandleByIndexV2:          "nvmlDeviceGetHandleByIndex_v2",
	symHandleByIndex:            "nvmlDeviceGetHandleByIndex",
	symUUID:                     "nvmlDeviceGetUUID",
	symName:                     "nvmlDeviceGetName",
	symSerial:                   "nvmlDeviceGetSerial",
	symMinorNumber:              "nvmlDeviceGetMinorNumber",
	symVBIOSVersion:             "nvmlDeviceGetVbiosVersion",
	symPCIInfoV3:                "nvmlDeviceGetPciInfo_v3",
	symPCIInfoV2:                "nvmlDeviceGetPciInfo_v2",
	symPCIInfo:                  "nvmlDeviceGetPciInfo",
	symArchitecture:             "nvmlDeviceGetArchitecture",
	symUtilization:              "nvmlDeviceGetUtilizationRates",
	symSamples:                  "nvmlDeviceGetSamples",
	symEncoderUtilization:       "nvmlDeviceGetEncoderUtilization",
	symDecoderUtilization:       "nvmlDeviceGetDecoderUtilization",
	symMemoryInfoV2:             "nvmlDeviceGetMemoryInfo_v2",
	symMemoryInfo:               "nvmlDeviceGetMemoryInfo",
	symTemperatureV:             "nvmlDeviceGetTemperatureV",
	symTemperature:              "nvmlDeviceGetTemperature",
	symTemperatureThreshold:     "nvmlDeviceGetTemperatureThreshold",
	symMarginTemperature:        "nvmlDeviceGetMarginTemperature",
	symPowerUsage:               "nvmlDeviceGetPowerUsage",
	symEnforcedPowerLimit:       "nvmlDeviceGetEnforcedPowerLimit",
	symTotalEnergy:              "nvmlDeviceGetTotalEnergyConsumption",
	symNumFans:                  "nvmlDeviceGetNumFans",
	symFanSpeedV2:               "nvmlDeviceGetFanSpeed_v2",
	symFanSpeed:                 "nvmlDeviceGetFanSpeed",
	symClockInfo:                "nvmlDeviceGetClockInfo",
	symEventReasons:             "nvmlDeviceGetCurrentClocksEventReasons",
	symThrottleReasons:          "nvmlDeviceGetCurrentClocksThrottleReasons",
	symSupportedEventReasons:    "nvmlDeviceGetSupportedClocksEventReasons",
	symSupportedThrottleReasons: "nvmlDeviceGetSupportedClocksThrottleReasons",
	symPerformanceState:         "nvmlDeviceGetPerformanceState",
	symTotalECCErrors:           "nvmlDeviceGetTotalEccErrors",
	symMemoryErrorCounter:       "nvmlDeviceGetMemoryErrorCounter",
	symRemappedRows:             "nvmlDeviceGetRemappedRows",
	symFieldValues:              "nvmlDeviceGetFieldValues",
	symPCIeThroughput:           "nvmlDeviceGetPcieThroughput",
	symLinkGeneration:           "nvmlDeviceGetCurrPcieLinkGeneration",
	symLinkWidth:                "nvmlDeviceGetCurrPcieLinkWidth",
	symLinkMaxGeneration:        "nvmlDeviceGetMaxPcieLinkGeneration",
	symLinkMaxWidth:             "nvmlDeviceGetMaxPcieLinkWidth",
	symFabricInfoV:              "nvmlDeviceGetGpuFabricInfoV",
	symFabricInfo:               "nvmlDeviceGetGpuFabricInfo",
	symMIGMode:                  "nvmlDeviceGetMigMode",
	symMaxMIGDevices:            "nvmlDeviceGetMaxMigDeviceCount",
	symMIGDeviceByIndex:         "nvmlDeviceGetMigDeviceHandleByIndex",
	symGPUInstanceID:            "nvmlDeviceGetGpuInstanceId",
	symComputeInstanceID:        "nvmlDeviceGetComputeInstanceId",
	symAttributesV2:             "nvmlDeviceGetAttributes_v2",
	symAttributes:               "nvmlDeviceGetAttributes",
	symComputeProcessesV3:       "nvmlDeviceGetComputeRunningProcesses_v3",
	symComputeProcessesV2:       "nvmlDeviceGetComputeRunningProcesses_v2",
	symComputeProcesses:         "nvmlDeviceGetComputeRunningProcesses",
	symGraphicsProcessesV3:      "nvmlDeviceGetGraphicsRunningProcesses_v3",
	symGraphicsProcessesV2:      "nvmlDeviceGetGraphicsRunningProcesses_v2",
	symGraphicsProcesses:        "nvmlDeviceGetGraphicsRunningProcesses",
	symMPSProcessesV3:           "nvmlDeviceGetMPSComputeRunningProcesses_v3",
	symMPSProcessesV2:           "nvmlDeviceGetMPSComputeRunningProcesses_v2",
	symMPSProcesses:             "nvmlDeviceGetMPSComputeRunningProcesses",
	symProcessUtilization:       "nvmlDeviceGetProcessUtilization",
	symGPMSupport:               "nvmlGpmQueryDeviceSupport",
	symGPMSampleAlloc:           "nvmlGpmSampleAlloc",
	symGPMSampleGet:             "nvmlGpmSampleGet",
	symGPMMIGSampleGet:          "nvmlGpmMigSampleGet",
	symGPMSampleFree:            "nvmlGpmSampleFree",
	symGPMMetricsGet:            "nvmlGpmMetricsGet",
	symSupportedEvents:          "nvmlDeviceGetSupportedEventTypes",
	symRegisterEvents:           "nvmlDeviceRegisterEvents",
	symEventSetCreate:           "nvmlEventSetCreate",
	symEventSetWaitV2:           "nvmlEventSetWait_v2",
	symEventSetWait:             "nvmlEventSetWait",
	symEventSetFree:             "nvmlEventSetFree",
}

// cgoOnly are the functions that the binding calls in C even for a mock's device.
var cgoOnly = [...]symbol{symTemperatureV, symFabricInfoV}

// resolve asks the library what it exports. No call may run.
func (c *core) resolve() {
	extensions := c.api.Extensions()
	for s, name := range &symbolNames {
		c.exported[s] = extensions.LookupSymbol(name) == nil
	}
	if c.goOnly {
		for _, s := range cgoOnly {
			c.exported[s] = false
		}
	}
}
