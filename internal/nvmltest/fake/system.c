// Calls that are not about one device.
#include "fake.h"

#include <stdio.h>

const char *nvmlErrorString(nvmlReturn_t ret)
{
	static _Thread_local char text[64];
	// Unlike the real texts on purpose: nobody should compare them.
	snprintf(text, sizeof text, "fake NVML's words for %d", ret);
	return text;
}

static nvmlReturn_t count_devices(const struct call *call, unsigned *count)
{
	u64 n = 0;
	(void)call;
	REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
	state_number("devices", "", "", &n);
	*count = (unsigned)n;
	calls_write();
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
	state_refresh();
	BEGIN(call_global, "nvmlDeviceGetCount_v2", "DeviceGetCount", LISTED);
	return count_devices(&call, count);
}

nvmlReturn_t nvmlDeviceGetCount(unsigned *count)
{
	state_refresh();
	BEGIN(call_global, "nvmlDeviceGetCount", "DeviceGetCount", LISTED);
	return count_devices(&call, count);
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
	BEGIN(call_index, "nvmlDeviceGetHandleByIndex_v2", "handle", index);
	REQUIRE(device, NVML_ERROR_INVALID_ARGUMENT);
	*device = handle_of(call.device, -1);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device)
{
	BEGIN(call_index, "nvmlDeviceGetHandleByIndex", "handle", index);
	REQUIRE(device, NVML_ERROR_INVALID_ARGUMENT);
	*device = handle_of(call.device, -1);
	return NVML_SUCCESS;
}

// The GPU whose field is the text.
static nvmlReturn_t find_device(const char *field, const char *text, nvmlDevice_t *device)
{
	char prefix[MAX_PREFIX], value[MAX_TEXT];
	REQUIRE(text && device, NVML_ERROR_INVALID_ARGUMENT);
	u64 devices = 0;
	state_number("devices", "", "", &devices);
	for (int i = 0; i < (int)devices && i < MAX_DEVICES; i++) {
		snprintf(prefix, sizeof prefix, "device.%d", i);
		if (state_text(prefix, field, "", value, sizeof value) && !strcmp(value, text)) {
			u64 ret = 0;
			if (state_number(prefix, "handle", "ret", &ret) && ret)
				return (nvmlReturn_t)ret;
			*device = handle_of(i, -1);
			return NVML_SUCCESS;
		}
	}
	return NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
	GLOBAL_CALL("DeviceGetHandleByUUID");
	return find_device("uuid", uuid, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *id, nvmlDevice_t *device)
{
	GLOBAL_CALL("DeviceGetHandleByPciBusId_v2");
	return find_device("pci", id, device);
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *id, nvmlDevice_t *device)
{
	GLOBAL_CALL("DeviceGetHandleByPciBusId");
	return find_device("pci", id, device);
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
	GLOBAL_CALL("SystemGetDriverVersion");
	return field_text(&call, "driver_version", version, length);
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
	GLOBAL_CALL("SystemGetNVMLVersion");
	return field_text(&call, "nvml_version", version, length);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
	GLOBAL_CALL("SystemGetCudaDriverVersion");
	return field_u32(&call, "cuda_version", (unsigned *)version);
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version)
{
	GLOBAL_CALL("SystemGetCudaDriverVersion_v2");
	return field_u32(&call, "cuda_version", (unsigned *)version);
}

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length)
{
	char key[32];
	GLOBAL_CALL("SystemGetProcessName");
	snprintf(key, sizeof key, "process.%u", pid);
	nvmlReturn_t ret = field_text(&call, key, name, length);
	return ret == NVML_ERROR_NOT_SUPPORTED ? NVML_ERROR_NOT_FOUND : ret;
}
