// Multi-Instance GPU: MIG devices lie in slots of their GPU, and slots may be empty.
#include "fake.h"

#include <stdio.h>

// "enabled", "disabled" or nothing: a GPU without MIG.
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned *current, unsigned *pending)
{
	char mode[16], next[16];
	IDENTITY_CALL(device, "GetMigMode");
	REQUIRE(current && pending, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(state_text(call.prefix, "mig", "", mode, sizeof mode), NVML_ERROR_NOT_SUPPORTED);
	*current = !strcmp(mode, "enabled");
	*pending = state_text(call.prefix, "mig_pending", "", next, sizeof next) ? !strcmp(next, "enabled") : *current;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMaxMigDeviceCount(nvmlDevice_t device, unsigned *count)
{
	char mode[16];
	IDENTITY_CALL(device, "GetMaxMigDeviceCount");
	REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(device.handle->slot < 0, NVML_ERROR_INVALID_ARGUMENT);
	*count = 0;
	if (state_text(call.prefix, "mig", "", mode, sizeof mode) && field_u32(&call, "mig_max", count))
		*count = 7;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigDeviceHandleByIndex(nvmlDevice_t device, unsigned index, nvmlDevice_t *out)
{
	char slot[MAX_PREFIX], mode[16], uuid[MAX_TEXT];
	IDENTITY_CALL(device, "GetMigDeviceHandleByIndex");
	REQUIRE(out && device.handle->slot < 0, NVML_ERROR_INVALID_ARGUMENT);
	REQUIRE(state_text(call.prefix, "mig", "", mode, sizeof mode), NVML_ERROR_NOT_SUPPORTED);
	REQUIRE(index < MAX_SLOTS, NVML_ERROR_INVALID_ARGUMENT);
	snprintf(slot, sizeof slot, "mig.%u", index);
	REQUIRE(!strcmp(mode, "enabled") && state_text(call.prefix, slot, "uuid", uuid, sizeof uuid),
	        NVML_ERROR_NOT_FOUND);
	*out = handle_of(call.device, (int)index);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned *is)
{
	IDENTITY_CALL(device, "IsMigDeviceHandle");
	REQUIRE(is, NVML_ERROR_INVALID_ARGUMENT);
	*is = device.handle->slot >= 0;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetDeviceHandleFromMigDeviceHandle(nvmlDevice_t device, nvmlDevice_t *out)
{
	IDENTITY_CALL(device, "GetDeviceHandleFromMigDeviceHandle");
	REQUIRE(out && device.handle->slot >= 0, NVML_ERROR_INVALID_ARGUMENT);
	*out = handle_of(call.device, -1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetGpuInstanceId(nvmlDevice_t device, unsigned *id)
{
	IDENTITY_CALL(device, "GetGpuInstanceId");
	REQUIRE(device.handle->slot >= 0, NVML_ERROR_INVALID_ARGUMENT);
	return field_u32(&call, "gi", id);
}

nvmlReturn_t nvmlDeviceGetComputeInstanceId(nvmlDevice_t device, unsigned *id)
{
	IDENTITY_CALL(device, "GetComputeInstanceId");
	REQUIRE(device.handle->slot >= 0, NVML_ERROR_INVALID_ARGUMENT);
	return field_u32(&call, "ci", id);
}

static nvmlReturn_t attributes(const struct call *call, nvmlDeviceAttributes_t *out)
{
	u64 memory = 0;
	REQUIRE(out, NVML_ERROR_INVALID_ARGUMENT);
	*out = (nvmlDeviceAttributes_t){0};
	answer_u32(call, "multiprocessors", &out->multiprocessorCount);
	answer_u32(call, "copy_engines", &out->sharedCopyEngineCount);
	answer_u32(call, "decoders", &out->sharedDecoderCount);
	answer_u32(call, "encoders", &out->sharedEncoderCount);
	answer_u32(call, "jpegs", &out->sharedJpegCount);
	answer_u32(call, "ofas", &out->sharedOfaCount);
	answer_u32(call, "gpu_slices", &out->gpuInstanceSliceCount);
	answer_u32(call, "compute_slices", &out->computeInstanceSliceCount);
	answer(call, "memory_mib", &memory);
	out->memorySizeMB = memory;
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAttributes_v2(nvmlDevice_t device, nvmlDeviceAttributes_t *out)
{
	BEGIN(call_device, "nvmlDeviceGetAttributes_v2", "GetAttributes", device, LISTED);
	return attributes(&call, out);
}

nvmlReturn_t nvmlDeviceGetAttributes(nvmlDevice_t device, nvmlDeviceAttributes_t *out)
{
	BEGIN(call_device, "nvmlDeviceGetAttributes", "GetAttributes", device, LISTED);
	return attributes(&call, out);
}
