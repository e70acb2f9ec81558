package gpu

// item is one thing that is asked of a GPU. What a GPU does not support is asked again only
// when something about it may have changed.
type item int

const (
	itemUtilization item = iota
	itemSamples
	itemEncoder
	itemDecoder
	itemMemory
	itemTemperature
	itemTemperatureMargin
	itemSlowdownThreshold
	itemShutdownThreshold
	itemPower
	itemPowerLimit
	itemEnergy
	itemFans
	itemFanSpeed
	itemClockGraphics
	itemClockSM
	itemClockMemory
	itemClockVideo
	itemClockLimits
	itemSupportedClockLimits
	itemPerformanceState
	itemECCCorrected
	itemECCUncorrected
	itemMemoryErrors
	itemRemappedRows
	itemFields
	itemPCIeThroughput
	itemLinkGeneration
	itemLinkWidth
	itemFabric
	itemMIGMode
	itemMIGDevices
	itemProcesses
	itemProcessUtilization
	itemGPM
	itemMIGGPM
	items
)

// itemNames are the calls behind the items, as NVML names them without nvmlDevice.
var itemNames = [items]string{
	itemUtilization:          "GetUtilizationRates",
	itemSamples:              "GetSamples",
	itemEncoder:              "GetEncoderUtilization",
	itemDecoder:              "GetDecoderUtilization",
	itemMemory:               "GetMemoryInfo",
	itemTemperature:          "GetTemperature",
	itemTemperatureMargin:    "GetMarginTemperature",
	itemSlowdownThreshold:    "GetTemperatureThreshold(slowdown)",
	itemShutdownThreshold:    "GetTemperatureThreshold(shutdown)",
	itemPower:                "GetPowerUsage",
	itemPowerLimit:           "GetEnforcedPowerLimit",
	itemEnergy:               "GetTotalEnergyConsumption",
	itemFans:                 "GetNumFans",
	itemFanSpeed:             "GetFanSpeed",
	itemClockGraphics:        "GetClockInfo(graphics)",
	itemClockSM:              "GetClockInfo(sm)",
	itemClockMemory:          "GetClockInfo(memory)",
	itemClockVideo:           "GetClockInfo(video)",
	itemClockLimits:          "GetCurrentClocksEventReasons",
	itemSupportedClockLimits: "GetSupportedClocksEventReasons",
	itemPerformanceState:     "GetPerformanceState",
	itemECCCorrected:         "GetTotalEccErrors(corrected)",
	itemECCUncorrected:       "GetTotalEccErrors(uncorrected)",
	itemMemoryErrors:         "GetMemoryErrorCounter",
	itemRemappedRows:         "GetRemappedRows",
	itemFields:               "GetFieldValues",
	itemPCIeThroughput:       "GetPcieThroughput",
	itemLinkGeneration:       "GetCurrPcieLinkGeneration",
	itemLinkWidth:            "GetCurrPcieLinkWidth",
	itemFabric:               "GetGpuFabricInfo",
	itemMIGMode:              "GetMigMode",
	itemMIGDevices:           "GetMigDeviceHandleByIndex",
	itemProcesses:            "GetRunningProcesses",
	itemProcessUtilization:   "GetProcessUtilization",
	itemGPM:                  "GpmMetricsGet",
	itemMIGGPM:               "GpmMetricsGet(mig)",
}
