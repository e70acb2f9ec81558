package binary

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
)

const (
	// gpuCasesAtOnce is how many collectors run at once; they mostly wait.
	gpuCasesAtOnce = 8
	// gpuScrape is between two scrapes, instead of the usual 5 s.
	gpuScrape = 250 * time.Millisecond
	// mostScrapes are waited for after a change.
	mostScrapes = 8
)

// gpuSkipped are the cases that these scrapes cannot play, and why. The receiver's own tests
// play them on a clock of their own.
var gpuSkipped = map[string]string{
	"27-nvml-not-ready-at-start":              "the driver is tried again after real seconds",
	"441-calls-blocked-on-one-gpu":            "calls that block for real seconds",
	"427-processes-on-a-gpu":                  toldOnce,
	"428-a-process-appears-between-two-calls": toldOnce,
	"431-performance-counters-on-hopper-only": toldOnce,
	"434-utilisation-is-a-mean":               toldOnce,
}

const toldOnce = "the driver tells it to one scrape, and here it is not known which export that is in"

// gpuCase is a machine with GPUs and the collector that runs on it.
type gpuCase struct {
	casetest.GPUCase
	world *nvmltest.World
	sink  *otlpsink.Sink
	col   *collector.Collector
	state string
	setAt int // the scrape from which on it is set
	seen  int // exports before that
}

// Scenario: every case of a GPU, on the fake driver; a scrape that changes nothing is left out.
// Guarantees: the numbers and log lines of the case, nothing absurd beside them, and the driver
// is left as it was found.
func TestGPUCases(t *testing.T) {
	t.Parallel()
	var running sync.WaitGroup
	free := make(chan struct{}, gpuCasesAtOnce)
	for _, c := range casetest.GPUCases(t, casesDir) {
		if gpuSkipped[c.Name] != "" {
			continue
		}
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			t.Run(c.Name, func(t *testing.T) { (&gpuCase{GPUCase: c}).run(t) })
		})
	}
	running.Wait()
}

func (c *gpuCase) run(t *testing.T) {
	t.Helper()
	c.start(t)
	scrape := 1
	for i := range c.Expect.GPU {
		check := &c.Expect.GPU[i]
		at := check.AtS/casetest.GPUInterval + 1
		for ; scrape < at; scrape++ {
			if c.set(scrape) {
				c.next(2)
			}
		}
		count := 2 // one may be under way
		if !c.set(at) && at == 1 {
			count = 1
		} else if since := at - c.setAt; since > 0 {
			count = min(2+since, mostScrapes) // what takes some scrapes has as many as in the case
		}
		casetest.CheckGPU(t, &c.GPUCase, check, c.next(count))
	}
	p := page.Get(t, c.col.Own)
	for name, want := range c.Expect.Counters {
		// How often depends on the number of scrapes, which is another here.
		assert.Equal(t, want > 0, p.Value("otelcol_receiver_nvml_"+name, nil) > 0, name)
	}
	c.col.Stop(t)
	log := c.col.Output()
	for text, want := range c.Expect.Log {
		assert.Equal(t, want, strings.Count(log, text), "%q in the log", text)
	}
	casetest.CheckGPUSane(t, c.sink.Metrics())
	assert.Empty(t, c.world.Calls().Violations())
	assert.Zero(t, c.world.Calls().OpenInits())
}

func (c *gpuCase) start(t *testing.T) {
	t.Helper()
	state := c.Scenario.State(0, 1)
	c.sink, c.world, c.state = otlpsink.Start(t), nvmltest.New(t, state), string(state)
	config, err := yaml.Marshal(map[string]any{"receivers": map[string]any{"nvml": c.Config}})
	require.NoError(t, err)
	// Without a queue exports come in their order.
	base := fmt.Sprintf(`
receivers:
  nvml:
    library_path: %s
    collection_interval: %s
    timeout: 200ms
    initial_delay: 100ms
    processes: {pod_resources: "", container_logs: ""}
exporters: {otlp_grpc: {sending_queue: {enabled: false}}}
`, nvmltest.Library(t, c.Scenario.NVML.MissingSymbols...), gpuScrape)
	overlays := []string{collector.ToSink(c.sink.Addr), base, string(config)}
	if len(c.Scenario.LivePIDs) > 0 {
		overlays = append(overlays, fmt.Sprintf("receivers: {nvml: {processes: {proc_path: %s}}}", nvmltest.Proc(t, c.Scenario.LivePIDs)))
	}
	c.col = collector.StartIn(t, c.world.Env(), overlays...)
}

// set moves the scenario to its nth scrape, and tells whether that changes anything.
func (c *gpuCase) set(n int) bool {
	state := c.Scenario.State(time.Duration(n-1)*casetest.GPUInterval*time.Second, n)
	if string(state) == c.state {
		return false
	}
	c.state, c.setAt, c.seen = string(state), n, len(c.sink.Metrics())
	c.world.Set(state)
	return true
}

// next is the scrape after so many from now on, with the ends of series since the state was set;
// where nothing is exported it is empty.
func (c *gpuCase) next(count int) pmetric.Metrics {
	n := c.seen + count
	for end := time.Now().Add(2 * mostScrapes * gpuScrape); time.Now().Before(end); time.Sleep(glance / 4) {
		if all := c.sink.Metrics(); len(all) >= n {
			found := pmetric.NewMetrics()
			all[n-1].CopyTo(found)
			for _, earlier := range all[c.seen : n-1] {
				appendEnds(found, earlier)
			}
			return found
		}
	}
	return pmetric.NewMetrics()
}

// appendEnds adds the points that end a series.
func appendEnds(to, from pmetric.Metrics) {
	ends := pmetric.NewMetrics()
	from.CopyTo(ends)
	live := func(p pmetric.NumberDataPoint) bool { return !p.Flags().NoRecordedValue() }
	for _, rm := range ends.ResourceMetrics().All() {
		for _, sm := range rm.ScopeMetrics().All() {
			for _, m := range sm.Metrics().All() {
				switch m.Type() {
				case pmetric.MetricTypeGauge:
					m.Gauge().DataPoints().RemoveIf(live)
				case pmetric.MetricTypeSum:
					m.Sum().DataPoints().RemoveIf(live)
				}
			}
		}
	}
	ends.ResourceMetrics().MoveAndAppendTo(to.ResourceMetrics())
}
