// ECC, row remapping, NVLink and fabric.
#include "fake.h"

#include <stdio.h>

nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending)
{
	DEVICE_CALL(device, "GetEccMode");
	nvmlReturn_t ret = answer_u32(&call, "current", (unsigned *)current);
	return ret ? ret : answer_u32(&call, "pending", (unsigned *)pending);
}

// As uncorrected_volatile.
static nvmlReturn_t ecc_name(nvmlMemoryErrorType_t type, nvmlEccCounterType_t kind, char out[32])
{
	static const char *const types[] = {"corrected", "uncorrected"};
	static const char *const kinds[] = {"volatile", "aggregate"};
	REQUIRE(type < 2 && kind < 2, NVML_ERROR_INVALID_ARGUMENT);
	snprintf(out, 32, "%s_%s", types[type], kinds[kind]);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                         nvmlEccCounterType_t kind, u64 *errors)
{
	char field[32];
	DEVICE_CALL(device, "GetTotalEccErrors");
	nvmlReturn_t ret = ecc_name(type, kind, field);
	return ret ? ret : answer_u64(&call, field, errors);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(nvmlDevice_t device, nvmlMemoryErrorType_t type,
                                             nvmlEccCounterType_t kind, nvmlMemoryLocation_t location,
                                             u64 *errors)
{
	static const char *const names[] = {"l1", "l2", "dram", "register", "texture", "shared", "cbu", "sram"};
	char field[32], located[48];
	DEVICE_CALL(device, "GetMemoryErrorCounter");
	REQUIRE(location < NVML_MEMORY_LOCATION_COUNT, NVML_ERROR_INVALID_ARGUMENT);
	nvmlReturn_t ret = ecc_name(type, kind, field);
	snprintf(located, sizeof located, "%s_%s", field, names[location]);
	return ret ? ret : answer_u64(&call, located, errors);
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned *correctable, unsigned *uncorrectable,
                                       unsigned *pending, unsigned *failed)
{
	DEVICE_CALL(device, "GetRemappedRows");
	nvmlReturn_t ret = answer_u32(&call, "correctable", correctable);
	ret = ret ? ret : answer_u32(&call, "uncorrectable", uncorrectable);
	ret = ret ? ret : answer_u32(&call, "pending", pending);
	return ret ? ret : answer_u32(&call, "failed", failed);
}

// Only the number of pages is listed; addresses and times are made up.
static nvmlReturn_t retired(const struct call *call, nvmlPageRetirementCause_t cause, unsigned *count,
                            u64 *addresses, u64 *times)
{
	static const char *const names[] = {"single_bit", "double_bit"};
	u64 pages = 0;
	REQUIRE(count && cause < NVML_PAGE_RETIREMENT_CAUSE_COUNT, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(answer(call, names[cause], &pages), NVML_ERROR_NOT_SUPPORTED);
	unsigned room = *count;
	*count = (unsigned)pages;
	REQUIRE(room >= pages, NVML_ERROR_INSUFFICIENT_SIZE);
	for (u64 i = 0; i < pages; i++) {
		if (addresses)
			addresses[i] = 4096 * (i + 1);
		if (times)
			times[i] = now_us();
	}
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRetiredPages(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count,
                                       u64 *addresses)
{
	DEVICE_CALL(device, "GetRetiredPages");
	return retired(&call, cause, count, addresses, NULL);
}

nvmlReturn_t nvmlDeviceGetRetiredPages_v2(nvmlDevice_t device, nvmlPageRetirementCause_t cause, unsigned *count,
                                          u64 *addresses, u64 *times)
{
	DEVICE_CALL(device, "GetRetiredPages_v2");
	return retired(&call, cause, count, addresses, times);
}

nvmlReturn_t nvmlDeviceGetRetiredPagesPendingStatus(nvmlDevice_t device, nvmlEnableState_t *pending)
{
	DEVICE_CALL(device, "GetRetiredPagesPendingStatus");
	return answer_u32(&call, "pending", (unsigned *)pending);
}

nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(nvmlDevice_t device, nvmlEccSramErrorStatus_t *out)
{
	u64 exceeded = 0;
	DEVICE_CALL(device, "GetSramEccErrorStatus");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(out->version == nvmlEccSramErrorStatus_v1, NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	unsigned version = out->version;
	*out = (nvmlEccSramErrorStatus_t){.version = version};
	answer(&call, "corrected_volatile", &out->volatileCor);
	answer(&call, "corrected_aggregate", &out->aggregateCor);
	answer(&call, "parity_volatile", &out->volatileUncParity);
	answer(&call, "parity_aggregate", &out->aggregateUncParity);
	answer(&call, "secded_volatile", &out->volatileUncSecDed);
	answer(&call, "secded_aggregate", &out->aggregateUncSecDed);
	answer(&call, "threshold_exceeded", &exceeded);
	out->bThresholdExceeded = (unsigned)exceeded;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t *active)
{
	char field[16];
	DEVICE_CALL(device, "GetNvLinkState");
	snprintf(field, sizeof field, "%u", link);
	nvmlReturn_t ret = answer_u32(&call, field, (unsigned *)active);
	return ret == NVML_ERROR_NOT_SUPPORTED ? NVML_ERROR_INVALID_ARGUMENT : ret;
}

nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned link, nvmlNvLinkErrorCounter_t kind,
                                             u64 *errors)
{
	static const char *const names[] = {"replay", "recovery", "crc_flit", "crc_data", "ecc_data"};
	char field[32];
	DEVICE_CALL(device, "GetNvLinkErrorCounter");
	REQUIRE(kind < NVML_NVLINK_ERROR_COUNT, NVML_ERROR_INVALID_ARGUMENT);
	snprintf(field, sizeof field, "%u_%s", link, names[kind]);
	return answer_u64(&call, field, errors);
}

static unsigned optional(const struct call *call, const char *field)
{
	u64 n = 0;
	answer(call, field, &n);
	return (unsigned)n;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t *out)
{
	DEVICE_CALL(device, "GetGpuFabricInfo");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	*out = (nvmlGpuFabricInfo_t){
		.status = optional(&call, "status"),
		.cliqueId = optional(&call, "clique"),
		.state = (nvmlGpuFabricState_t)optional(&call, "state"),
	};
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t *out)
{
	DEVICE_CALL(device, "GetGpuFabricInfoV");
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	// Version 2 is a part of version 3.
	REQUIRE(out->version == nvmlGpuFabricInfo_v2 || out->version == nvmlGpuFabricInfo_v3,
	        NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
	out->status = optional(&call, "status");
	out->cliqueId = optional(&call, "clique");
	out->state = (nvmlGpuFabricState_t)optional(&call, "state");
	out->healthMask = optional(&call, "health_mask");
	if (out->version == nvmlGpuFabricInfo_v3)
		out->healthSummary = (unsigned char)optional(&call, "health_summary");
	return NVML_SUCCESS;
}
