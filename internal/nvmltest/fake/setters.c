// Calls that would change a device. They change nothing here; that they were called is a
// violation.
#include "fake.h"

#define SETTER(name, ...)                       \
	nvmlReturn_t name(__VA_ARGS__)              \
	{                                           \
		violation(#name);                       \
		return NVML_ERROR_NO_PERMISSION;        \
	}

#pragma GCC diagnostic ignored "-Wunused-parameter"

SETTER(nvmlDeviceSetPersistenceMode, nvmlDevice_t device, nvmlEnableState_t mode)
SETTER(nvmlDeviceSetAccountingMode, nvmlDevice_t device, nvmlEnableState_t mode)
SETTER(nvmlDeviceClearAccountingPids, nvmlDevice_t device)
SETTER(nvmlDeviceClearEccErrorCounts, nvmlDevice_t device, nvmlEccCounterType_t counter)
SETTER(nvmlDeviceSetEccMode, nvmlDevice_t device, nvmlEnableState_t mode)
SETTER(nvmlDeviceSetPowerManagementLimit, nvmlDevice_t device, unsigned limit)
SETTER(nvmlDeviceSetMigMode, nvmlDevice_t device, unsigned mode, nvmlReturn_t *status)
SETTER(nvmlDeviceSetComputeMode, nvmlDevice_t device, nvmlComputeMode_t mode)
SETTER(nvmlDeviceSetGpuLockedClocks, nvmlDevice_t device, unsigned least, unsigned most)
SETTER(nvmlDeviceResetGpuLockedClocks, nvmlDevice_t device)
SETTER(nvmlDeviceSetApplicationsClocks, nvmlDevice_t device, unsigned memory, unsigned graphics)
SETTER(nvmlGpmSetStreamingEnabled, nvmlDevice_t device, unsigned state)
