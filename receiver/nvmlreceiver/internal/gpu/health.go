package gpu

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

// health is what a read tells of the state of a GPU.
type health struct {
	limits                    driver.ClockLimit
	remapPending, remapFailed bool
	// recovery is what the driver says must be done, 0 for nothing (nvmlDeviceGpuRecoveryAction_t).
	recovery uint64
	// answers and fails tell that a call was answered, and that one failed.
	answers, fails bool
}

// faultLimits hold the clocks down because of a fault outside the GPU's own management: heat
// that software could not handle, and power or heat signals of the board.
const faultLimits = driver.LimitHWSlowdown | driver.LimitHWThermal | driver.LimitHWPowerBrake

// state is the worst that applies.
func (h *health) state(fault driver.Return) metadata.AttributeHwState {
	switch {
	case fault.Lost():
		return metadata.AttributeHwStateFailed
	case h.remapPending || h.remapFailed:
		return metadata.AttributeHwStatePredictedFailure
	case h.recovery != 0 || h.limits&faultLimits != 0 || fault.Broken() || h.fails && !h.answers:
		// A GPU of which nothing can be read is not known to be ok.
		return metadata.AttributeHwStateDegraded
	default:
		return metadata.AttributeHwStateOk
	}
}

// recordStatus records all states, as semantic conventions ask for.
func recordStatus(build *metadata.MetricsBuilder, now pcommon.Timestamp, uuid, name string, state metadata.AttributeHwState) {
	for _, s := range []metadata.AttributeHwState{
		metadata.AttributeHwStateOk, metadata.AttributeHwStateDegraded,
		metadata.AttributeHwStateFailed, metadata.AttributeHwStatePredictedFailure,
	} {
		build.RecordHwStatusDataPoint(now, oneIf(s == state), uuid, name, metadata.AttributeHwTypeGpu, s)
	}
}
