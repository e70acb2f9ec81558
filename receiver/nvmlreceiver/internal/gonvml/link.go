//go:build linux && cgo

package gonvml

import (
	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// PCIeLink implements driver.Device.
func (d device) PCIeLink(what driver.LinkValue) (value uint32, ret driver.Return) {
	var s symbol
	var read func(nvml.Device) (int, nvml.Return)
	switch what {
	case driver.LinkGeneration:
		s, read = symLinkGeneration, nvml.Device.GetCurrPcieLinkGeneration
	case driver.LinkWidth:
		s, read = symLinkWidth, nvml.Device.GetCurrPcieLinkWidth
	case driver.LinkMaxGeneration:
		s, read = symLinkMaxGeneration, nvml.Device.GetMaxPcieLinkGeneration
	case driver.LinkMaxWidth:
		s, read = symLinkMaxWidth, nvml.Device.GetMaxPcieLinkWidth
	default:
		return 0, driver.InvalidArgument
	}
	if ret = d.enter(s); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	v, ret := checked(read(d.handle))
	return uint32(v), ret
}

// FabricState implements driver.Device. The second version of the structure is known to
// every driver that has nvmlDeviceGetGpuFabricInfoV; the later ones add only health.
func (d device) FabricState() (state driver.FabricState, ret driver.Return) {
	if ret = d.enter(symFabricInfoV, symFabricInfo); ret != driver.Success {
		return 0, ret
	}
	defer d.core.leave(&ret)
	ret = driver.FunctionNotFound
	if d.has(symFabricInfoV) {
		info, code := d.handle.GetGpuFabricInfoV().V2()
		state, ret = driver.FabricState(info.State), driver.Return(code)
	}
	if d.has(symFabricInfo) && outdated(ret) {
		info, code := d.handle.GetGpuFabricInfo()
		state, ret = driver.FabricState(info.State), driver.Return(code)
	}
	if ret != driver.Success {
		return 0, ret
	}
	return state, driver.Success
}
