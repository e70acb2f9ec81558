package gpu

import (
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// readLinks reads the PCIe link and the fabric.
func (r *reader) readLinks() {
	on := &r.on.Metrics
	name := r.identity.Name
	if r.wants(on.NvidiaGpuPcieLinkGeneration.Enabled, itemLinkGeneration) {
		if v, ret := r.dev.PCIeLink(driver.LinkGeneration); r.ok(itemLinkGeneration, ret) && r.sane("PCIe generation", float64(v), 1, 64) {
			r.build.RecordNvidiaGpuPcieLinkGenerationDataPoint(r.now, int64(v), r.uuid, name, metadata.AttributeLinkValueCurrent)
		}
		if v, ret := r.dev.PCIeLink(driver.LinkMaxGeneration); ret == driver.Success && r.sane("PCIe generation", float64(v), 1, 64) {
			r.build.RecordNvidiaGpuPcieLinkGenerationDataPoint(r.now, int64(v), r.uuid, name, metadata.AttributeLinkValueMax)
		}
	}
	if r.wants(on.NvidiaGpuPcieLinkWidth.Enabled, itemLinkWidth) {
		if v, ret := r.dev.PCIeLink(driver.LinkWidth); r.ok(itemLinkWidth, ret) && r.sane("PCIe width", float64(v), 1, 64) {
			r.build.RecordNvidiaGpuPcieLinkWidthDataPoint(r.now, int64(v), r.uuid, name, metadata.AttributeLinkValueCurrent)
		}
		if v, ret := r.dev.PCIeLink(driver.LinkMaxWidth); ret == driver.Success && r.sane("PCIe width", float64(v), 1, 64) {
			r.build.RecordNvidiaGpuPcieLinkWidthDataPoint(r.now, int64(v), r.uuid, name, metadata.AttributeLinkValueMax)
		}
	}
	r.readPCIeThroughput(false, metadata.AttributeNetworkIoDirectionTransmit)
	r.readPCIeThroughput(true, metadata.AttributeNetworkIoDirectionReceive)
	if r.wants(on.NvidiaGpuFabricState.Enabled, itemFabric) {
		if state, ret := r.dev.FabricState(); r.ok(itemFabric, ret) && state != driver.FabricNotSupported {
			for s, attr := range map[driver.FabricState]metadata.AttributeFabricState{
				driver.FabricNotStarted: metadata.AttributeFabricStateNotStarted,
				driver.FabricInProgress: metadata.AttributeFabricStateInProgress,
				driver.FabricCompleted:  metadata.AttributeFabricStateCompleted,
			} {
				r.build.RecordNvidiaGpuFabricStateDataPoint(r.now, oneIf(s == state), r.uuid, name, attr)
			}
		}
	}
}

func (r *reader) readPCIeThroughput(receive bool, direction metadata.AttributeNetworkIoDirection) {
	if !r.wants(r.on.Metrics.NvidiaGpuPcieThroughput.Enabled, itemPCIeThroughput) {
		return
	}
	if kilobytes, ret := r.dev.PCIeThroughput(receive); r.ok(itemPCIeThroughput, ret) &&
		r.sane("PCIe throughput", float64(kilobytes), 0, 1e10) {
		r.build.RecordNvidiaGpuPcieThroughputDataPoint(r.now, float64(kilobytes)*1000, r.uuid, r.identity.Name, direction)
	}
}
