// What a device is.
#include "fake.h"

#include <stdio.h>

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
	IDENTITY_CALL(device, "GetUUID");
	return field_text(&call, "uuid", uuid, length);
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
	IDENTITY_CALL(device, "GetName");
	return field_text(&call, "name", name, length);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *serial, unsigned length)
{
	IDENTITY_CALL(device, "GetSerial");
	return field_text(&call, "serial", serial, length);
}

nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *version, unsigned length)
{
	IDENTITY_CALL(device, "GetVbiosVersion");
	return field_text(&call, "vbios", version, length);
}

nvmlReturn_t nvmlDeviceGetBoardPartNumber(nvmlDevice_t device, char *part, unsigned length)
{
	IDENTITY_CALL(device, "GetBoardPartNumber");
	return field_text(&call, "part", part, length);
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
	IDENTITY_CALL(device, "GetIndex");
	REQUIRE(index, NVML_ERROR_INVALID_ARGUMENT);
	*index = (unsigned)(device.handle->slot < 0 ? call.device : device.handle->slot);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor)
{
	IDENTITY_CALL(device, "GetMinorNumber");
	return field_u32(&call, "minor", minor);
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *arch)
{
	IDENTITY_CALL(device, "GetArchitecture");
	return field_u32(&call, "arch", arch);
}

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *brand)
{
	IDENTITY_CALL(device, "GetBrand");
	return field_u32(&call, "brand", (unsigned *)brand);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
	char text[MAX_TEXT];
	IDENTITY_CALL(device, "GetCudaComputeCapability");
	nvmlReturn_t ret = field_text(&call, "cc", text, sizeof text);
	if (ret == NVML_SUCCESS && sscanf(text, "%d.%d", major, minor) != 2)
		ret = NVML_ERROR_UNKNOWN;
	return ret;
}

// The file has the address as NVML prints it: 00000000:1B:00.0.
static nvmlReturn_t pci_info(const struct call *call, nvmlPciInfo_t *pci)
{
	char text[NVML_DEVICE_PCI_BUS_ID_BUFFER_SIZE];
	REQUIRE(pci, NVML_ERROR_INVALID_ARGUMENT);
	nvmlReturn_t ret = field_text(call, "pci", text, sizeof text);
	if (ret != NVML_SUCCESS)
		return ret;
	*pci = (nvmlPciInfo_t){0};
	unsigned function;
	if (sscanf(text, "%x:%x:%x.%x", &pci->domain, &pci->bus, &pci->device, &function) != 4)
		return NVML_ERROR_UNKNOWN;
	strcpy(pci->busId, text);
	snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xFFFF,
	         pci->bus & 0xFF, pci->device & 0xFF);
	field_u32(call, "pci_device_id", &pci->pciDeviceId);
	field_u32(call, "pci_subsystem_id", &pci->pciSubSystemId);
	return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	IDENTITY_CALL(device, "GetPciInfo_v3");
	return pci_info(&call, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	IDENTITY_CALL(device, "GetPciInfo_v2");
	return pci_info(&call, pci);
}

nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
	IDENTITY_CALL(device, "GetPciInfo");
	return pci_info(&call, pci);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode)
{
	DEVICE_CALL(device, "GetPersistenceMode");
	return answer_u32(&call, "mode", (unsigned *)mode);
}

nvmlReturn_t nvmlDeviceGetVirtualizationMode(nvmlDevice_t device, nvmlGpuVirtualizationMode_t *mode)
{
	DEVICE_CALL(device, "GetVirtualizationMode");
	return answer_u32(&call, "mode", (unsigned *)mode);
}
