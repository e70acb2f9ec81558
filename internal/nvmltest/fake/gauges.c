// Utilisation, memory, temperature, power and clocks.
#include "fake.h"

#include <stdio.h>

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *rates)
{
	DEVICE_CALL(device, "GetUtilizationRates");
	REQUIRE(rates, NVML_ERROR_INVALID_ARGUMENT);
	nvmlReturn_t ret = answer_u32(&call, "gpu", &rates->gpu);
	return ret ? ret : answer_u32(&call, "memory", &rates->memory);
}

static nvmlReturn_t engine(const struct call *call, unsigned *percent, unsigned *period)
{
	REQUIRE(period, NVML_ERROR_INVALID_ARGUMENT);
	*period = 167000; // µs, as data-centre drivers say
	return answer_u32(call, "percent", percent);
}

#define ENGINE(name)                                                                              \
	nvmlReturn_t nvmlDevice##name(nvmlDevice_t device, unsigned *percent, unsigned *period)       \
	{                                                                                             \
		DEVICE_CALL(device, #name);                                                               \
		return engine(&call, percent, period);                                                    \
	}

ENGINE(GetEncoderUtilization)
ENGINE(GetDecoderUtilization)
ENGINE(GetJpgUtilization)
ENGINE(GetOfaUtilization)

// The many calls that fill in one unsigned number.
#define NUMBER(name, field)                                                   \
	nvmlReturn_t nvmlDevice##name(nvmlDevice_t device, unsigned *out)         \
	{                                                                         \
		DEVICE_CALL(device, #name);                                           \
		return answer_u32(&call, field, out);                                 \
	}

NUMBER(GetPowerUsage, "milliwatts")
NUMBER(GetEnforcedPowerLimit, "milliwatts")
NUMBER(GetPowerManagementLimit, "milliwatts")
NUMBER(GetPowerManagementDefaultLimit, "milliwatts")
NUMBER(GetNumFans, "fans")
NUMBER(GetFanSpeed, "percent")
NUMBER(GetCurrPcieLinkGeneration, "generation")
NUMBER(GetMaxPcieLinkGeneration, "generation")
NUMBER(GetGpuMaxPcieLinkGeneration, "generation")
NUMBER(GetCurrPcieLinkWidth, "width")
NUMBER(GetMaxPcieLinkWidth, "width")
NUMBER(GetPcieReplayCounter, "replays")

#define NUMBER64(name, field)                                            \
	nvmlReturn_t nvmlDevice##name(nvmlDevice_t device, u64 *out)         \
	{                                                                    \
		DEVICE_CALL(device, #name);                                      \
		return answer_u64(&call, field, out);                            \
	}

NUMBER64(GetTotalEnergyConsumption, "millijoules")
NUMBER64(GetCurrentClocksEventReasons, "reasons")
NUMBER64(GetCurrentClocksThrottleReasons, "reasons")
NUMBER64(GetSupportedClocksEventReasons, "reasons")
NUMBER64(GetSupportedClocksThrottleReasons, "reasons")

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
	DEVICE_CALL(device, "GetMemoryInfo");
	REQUIRE(memory, NVML_ERROR_INVALID_ARGUMENT);
	nvmlReturn_t ret = answer_u64(&call, "total", &memory->total);
	ret = ret ? ret : answer_u64(&call, "free", &memory->free);
	return ret ? ret : answer_u64(&call, "used", &memory->used);
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
	DEVICE_CALL(device, "GetMemoryInfo_v2");
	REQUIRE(memory, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(memory->version == nvmlMemory_v2, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	nvmlReturn_t ret = answer_u64(&call, "total", &memory->total);
	ret = ret ? ret : answer_u64(&call, "reserved", &memory->reserved);
	ret = ret ? ret : answer_u64(&call, "free", &memory->free);
	return ret ? ret : answer_u64(&call, "used", &memory->used);
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t *memory)
{
	DEVICE_CALL(device, "GetBAR1MemoryInfo");
	REQUIRE(memory, NVML_ERROR_INVALID_ARGUMENT);
	nvmlReturn_t ret = answer_u64(&call, "total", &memory->bar1Total);
	ret = ret ? ret : answer_u64(&call, "free", &memory->bar1Free);
	return ret ? ret : answer_u64(&call, "used", &memory->bar1Used);
}

nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *out)
{
	DEVICE_CALL(device, "GetTemperature");
	REQUIRE(sensor == NVML_TEMPERATURE_GPU, NVML_ERROR_INVALID_ARGUMENT);
	return answer_u32(&call, "celsius", out);
}

nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *out)
{
	DEVICE_CALL(device, "GetTemperatureV");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(out->version == nvmlTemperature_v1, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	REQUIRE(out->sensorType == NVML_TEMPERATURE_GPU, NVML_ERROR_INVALID_ARGUMENT);
	return answer_u32(&call, "celsius", (unsigned *)&out->temperature);
}

nvmlReturn_t nvmlDeviceGetMarginTemperature(nvmlDevice_t device, nvmlMarginTemperature_t *out)
{
	DEVICE_CALL(device, "GetMarginTemperature");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(out->version == nvmlMarginTemperature_v1, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	return answer_u32(&call, "celsius", (unsigned *)&out->marginTemperature);
}

nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t kind,
                                               unsigned *out)
{
	static const char *const names[] = {"shutdown", "slowdown", "mem_max", "gpu_max"};
	DEVICE_CALL(device, "GetTemperatureThreshold");
	REQUIRE(kind < sizeof names / sizeof *names, NVML_ERROR_NOT_SUPPORTED);
	return answer_u32(&call, names[kind], out);
}

nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned *least, unsigned *most)
{
	DEVICE_CALL(device, "GetPowerManagementLimitConstraints");
	nvmlReturn_t ret = answer_u32(&call, "min", least);
	return ret ? ret : answer_u32(&call, "max", most);
}

static const char *numbered(unsigned n, char out[16])
{
	snprintf(out, 16, "%u", n);
	return out;
}

nvmlReturn_t nvmlDeviceGetFanSpeed_v2(nvmlDevice_t device, unsigned fan, unsigned *percent)
{
	char field[16];
	DEVICE_CALL(device, "GetFanSpeed_v2");
	nvmlReturn_t ret = answer_u32(&call, numbered(fan, field), percent);
	return ret == NVML_ERROR_NOT_SUPPORTED ? NVML_ERROR_INVALID_ARGUMENT : ret;
}

nvmlReturn_t nvmlDeviceGetFanSpeedRPM(nvmlDevice_t device, nvmlFanSpeedInfo_t *out)
{
	char field[16];
	DEVICE_CALL(device, "GetFanSpeedRPM");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(out->version == nvmlFanSpeedInfo_v1, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	return answer_u32(&call, numbered(out->fan, field), &out->speed);
}

static nvmlReturn_t clock_of(const struct call *call, nvmlClockType_t type, unsigned *mhz)
{
	static const char *const names[] = {"graphics_mhz", "sm_mhz", "mem_mhz", "video_mhz"};
	REQUIRE(type < NVML_CLOCK_COUNT, NVML_ERROR_INVALID_ARGUMENT);
	return answer_u32(call, names[type], mhz);
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	DEVICE_CALL(device, "GetClockInfo");
	return clock_of(&call, type, mhz);
}

nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)
{
	DEVICE_CALL(device, "GetMaxClockInfo");
	return clock_of(&call, type, mhz);
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state)
{
	DEVICE_CALL(device, "GetPerformanceState");
	return answer_u32(&call, "pstate", (unsigned *)state);
}

nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t counted, unsigned *kb)
{
	DEVICE_CALL(device, "GetPcieThroughput");
	REQUIRE(counted < NVML_PCIE_UTIL_COUNT, NVML_ERROR_INVALID_ARGUMENT);
	return answer_u32(&call, counted == NVML_PCIE_UTIL_TX_BYTES ? "tx_kb" : "rx_kb", kb);
}
