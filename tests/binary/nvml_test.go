package binary

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

// startOn starts the collector on a machine whose driver is the fake one.
func startOn(t *testing.T, world *nvmltest.World) *collector.Collector {
	t.Helper()
	return collector.StartIn(t, world.Env(), fmt.Sprintf(`
receivers:
  nvml:
    library_path: %s
    collection_interval: 500ms
    timeout: 400ms
`, nvmltest.Library(t)))
}

// Scenario: a machine with two H200.
// Guarantees: the shipped binary holds the real receiver and not the stub that a build without
// cgo has; GPUs are on the page, an Xid is counted and in the log, and the driver is left as it
// was found.
func TestGPUs(t *testing.T) {
	t.Parallel()
	machine := nvmltest.DGX(2, nvmltest.H200())
	machine.Events = []nvmltest.Event{{AtS: 1, Device: 0, Xid: 79}}
	world := nvmltest.New(t, machine.State(0, 0))
	c := startOn(t, world)
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, p.Series("hw_power_watts", nil), 2)
		assert.Len(ct, p.Series("nvidia_gpu_sm_utilization_ratio", nil), 2, "GPM")
	})
	p := page.Get(t, c.Page)
	gpu0 := page.Labels{"hw_id": machine.NVML.Devices[0].UUID, "hw_name": "NVIDIA H200"}
	assert.InDelta(t, 627.4, p.Value("hw_power_watts", gpu0), 1e-9)
	assert.InDelta(t, 150754820096, p.Value("hw_gpu_memory_limit_bytes", gpu0), 0)
	assert.InDelta(t, 1, p.Value("hw_status", page.Labels{"hw_id": gpu0["hw_id"], "hw_state": "ok"}), 0)
	assert.NotContains(t, c.Output(), "BUILT_WITHOUT_SUPPORT")

	world.Set(machine.State(2*time.Second, 0))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.InDelta(ct, 1, p.Value("nvidia_gpu_xid_errors_total", page.Labels{"nvidia_xid_code": "79"}), 0)
		assert.Contains(ct, c.Output(), "Xid 79: ")
	})
	assert.Zero(t, c.Stop(t), "exit code")
	calls := world.Calls()
	assert.Empty(t, calls.Violations())
	assert.Zero(t, calls.OpenInits())
	assert.Zero(t, calls.OpenEventSets())
	assert.Zero(t, calls.OpenGPMSamples())
}

// Scenario: no driver at the start, which is there later, and one GPU that is lost after that.
// Guarantees: traces flow all the while, the GPUs show without a restart, the lost one is
// failed and its last numbers go from the page, and the log says each change once.
func TestGPUsComeAndGo(t *testing.T) {
	t.Parallel()
	machine := nvmltest.DGX(2, nvmltest.H100())
	late := machine
	late.NVML.Init = nvmltest.Init{{Ret: "DRIVER_NOT_LOADED"}}
	world := nvmltest.New(t, late.State(0, 0))
	c := startOn(t, world)
	eventually(t, func(ct *assert.CollectT) { assert.Contains(ct, c.Output(), "GPUs are not read: DRIVER_NOT_LOADED") })
	assert.True(t, collector.Answers("http://"+c.Health+"/"), "healthy without a driver")
	assert.Empty(t, page.Get(t, c.Page).Series("hw_status", nil))

	world.Set(machine.State(0, 0))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, p.Series("hw_power_watts", nil), 2)
	})

	lost := nvmltest.DGX(2, nvmltest.H100())
	lost.NVML.Devices[0].AllCalls = "GPU_IS_LOST"
	world.Set(lost.State(0, 0))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, p.Series("hw_power_watts", nil), 1)
		assert.InDelta(ct, 1, p.Value("hw_status", page.Labels{"hw_id": lost.NVML.Devices[0].UUID, "hw_state": "failed"}), 0)
		assert.InDelta(ct, 1, p.Value("hw_status", page.Labels{"hw_id": lost.NVML.Devices[1].UUID, "hw_state": "ok"}), 0)
	})
	assert.True(t, collector.Answers("http://"+c.Health+"/"), "healthy with a lost GPU")
	log := c.Output()
	assert.Equal(t, 1, strings.Count(log, "DRIVER_NOT_LOADED"))
	assert.Equal(t, 1, strings.Count(log, "GPU is lost"), "%s", log)
	assert.Zero(t, c.Stop(t), "exit code")
}

// Scenario: one GPU whose calls do not return.
// Guarantees: the other is read, the collector stops in time.
func TestHungGPU(t *testing.T) {
	t.Parallel()
	machine := nvmltest.DGX(2, nvmltest.H100())
	machine.NVML.Devices[0].BlockSeconds = 3600
	c := startOn(t, nvmltest.New(t, machine.State(0, 0)))
	eventually(t, func(ct *assert.CollectT) {
		p, err := page.Fetch(t.Context(), c.Page)
		require.NoError(ct, err)
		assert.Len(ct, p.Series("hw_power_watts", nil), 1)
	})
	c.Stop(t) // within its time limit; the call that hangs is an error, which is told
	assert.Contains(t, c.Output(), "did not return from a call")
}
