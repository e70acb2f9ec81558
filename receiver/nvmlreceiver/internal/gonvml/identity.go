//go:build linux && cgo

package gonvml

import (
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// UUID implements driver.Device.
func (d device) UUID() (uuid string, ret driver.Return) {
	return d.text(nvml.Device.GetUUID, symUUID)
}

// Identity implements driver.Device. Each part is asked on its own: one that fails or
// panics leaves the others.
func (d device) Identity() driver.Identity {
	var id driver.Identity
	id.Name, _ = d.text(nvml.Device.GetName, symName)
	id.Serial, _ = d.text(nvml.Device.GetSerial, symSerial)
	id.VBIOS, _ = d.text(nvml.Device.GetVbiosVersion, symVBIOSVersion)
	id.PCIAddress, _ = d.text(pciAddress, symPCIInfoV3, symPCIInfoV2, symPCIInfo)
	id.Architecture, _ = d.text(architecture, symArchitecture)
	id.Minor, id.HasMinor = d.minor()
	return id
}

func (d device) minor() (minor int, ok bool) {
	ret := d.enter(symMinorNumber)
	if ret != driver.Success {
		return 0, false
	}
	defer d.core.leave(&ret)
	minor, code := d.handle.GetMinorNumber()
	return minor, code == nvml.SUCCESS && minor >= 0 && minor < 1<<16
}

func (d device) text(read func(nvml.Device) (string, nvml.Return), anyOf ...symbol) (text string, ret driver.Return) {
	if ret = d.enter(anyOf...); ret != driver.Success {
		return "", ret
	}
	defer d.core.leave(&ret)
	text, code := read(d.handle)
	text = clean(text)
	switch {
	case code != nvml.SUCCESS:
		return "", driver.Return(code)
	case text == "":
		return "", driver.NoData
	default:
		return text, driver.Success
	}
}

// clean takes out what no text may hold: exporters refuse all that comes with a name that is
// not UTF-8.
func clean(text string) string { return strings.TrimSpace(strings.ToValidUTF8(text, "")) }

// pciAddress writes the domain in eight digits, as NVML does since version 3 of the
// structure; the field that older ones have alone holds four.
func pciAddress(handle nvml.Device) (string, nvml.Return) {
	info, code := handle.GetPciInfo()
	address := cString(info.BusId[:])
	if address == "" {
		if address = cString(info.BusIdLegacy[:]); address != "" {
			address = "0000" + address
		}
	}
	// ToUpper would turn what is no text into characters.
	return strings.ToUpper(clean(address)), code
}

func cString(chars []int8) string {
	var b strings.Builder
	for _, c := range chars {
		if c == 0 {
			break
		}
		_ = b.WriteByte(byte(c))
	}
	return b.String()
}

// architectures are the GPUs of nvmlDeviceArchitecture_t; the other numbers are no GPUs.
var architectures = map[nvml.DeviceArchitecture]string{
	nvml.DEVICE_ARCH_KEPLER:    "kepler",
	nvml.DEVICE_ARCH_MAXWELL:   "maxwell",
	nvml.DEVICE_ARCH_PASCAL:    "pascal",
	nvml.DEVICE_ARCH_VOLTA:     "volta",
	nvml.DEVICE_ARCH_TURING:    "turing",
	nvml.DEVICE_ARCH_AMPERE:    "ampere",
	nvml.DEVICE_ARCH_ADA:       "ada",
	nvml.DEVICE_ARCH_HOPPER:    "hopper",
	nvml.DEVICE_ARCH_BLACKWELL: "blackwell",
	nvml.DEVICE_ARCH_RUBIN:     "rubin",
}

func architecture(handle nvml.Device) (string, nvml.Return) {
	arch, code := handle.GetArchitecture()
	return architectures[arch], code
}
