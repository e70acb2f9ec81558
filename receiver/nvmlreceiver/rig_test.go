//go:build linux && cgo

package nvmlreceiver

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadatatest"
)

// alone runs a test in a process of its own, several of them at once.
func alone(t *testing.T) bool {
	t.Helper()
	if os.Getenv("NVMLTEST_CHILD") == "" {
		t.Parallel()
	}
	return nvmltest.Isolate(t)
}

// tick is between two scrapes where the clock is real.
const tick = 100 * time.Millisecond

// rig is a machine with GPUs and what of the receiver runs on it.
type rig struct {
	t        *testing.T
	scenario nvmltest.Scenario
	world    *nvmltest.World
	library  string
	// real tells that time passes by itself; in a bubble of synctest it does not.
	real bool

	cfg     *Config
	tel     *componenttest.Telemetry
	logger  *zap.Logger
	log     *observer.ObservedLogs
	host    *statusHost
	sink    *consumertest.MetricsSink
	logs    *consumertest.LogsSink
	running []component.Component
	scrapes int
	state   []string // as set last, sorted
}

// newRig makes a machine. It is called outside of any bubble: a compiler runs.
func newRig(t *testing.T, s nvmltest.Scenario) *rig {
	t.Helper()
	world := nvmltest.New(t, s.State(0, 1))
	world.Enter(t)
	return &rig{
		t: t, scenario: s, world: world, library: nvmltest.Library(t, s.NVML.MissingSymbols...),
		host: &statusHost{Host: componenttest.NewNopHost()},
	}
}

// silent lets no GPU tell its events. Waiting for events is a call that never ends for long,
// and the clock of a bubble stands still while a call runs.
func silent(s nvmltest.Scenario) nvmltest.Scenario {
	for i := range s.NVML.Devices {
		s.NVML.Devices[i].Set("GetSupportedEventTypes", nvmltest.Fails("NOT_SUPPORTED"))
	}
	return s
}

// configure makes the configuration, with more of it in the words of a user.
func (r *rig) configure(t *testing.T, more map[string]any) {
	t.Helper()
	r.t = t
	r.cfg = createDefaultConfig().(*Config)
	r.cfg.LibraryPath = r.library
	r.cfg.Processes.PodResources, r.cfg.Processes.ContainerLogs = "", ""
	if r.real {
		r.cfg.CollectionInterval, r.cfg.InitialDelay, r.cfg.Timeout = tick, tick, 10*time.Second
	}
	require.NoError(t, confmap.NewFromStringMap(more).Unmarshal(r.cfg))
	core, log := observer.New(zapcore.InfoLevel)
	r.logger, r.log = zap.New(core), log
	r.tel = componenttest.NewTelemetry()
	r.sink, r.logs = new(consumertest.MetricsSink), new(consumertest.LogsSink)
	r.scrapes = 0
}

// start starts the metrics receiver of a configuration.
func (r *rig) start(t *testing.T, more map[string]any) {
	t.Helper()
	r.configure(t, more)
	r.startMetrics()
}

func (r *rig) startMetrics() {
	r.t.Helper()
	c, err := NewFactory().CreateMetrics(r.t.Context(), r.settings(), r.cfg, r.sink)
	require.NoError(r.t, err)
	r.run(c)
}

func (r *rig) startLogs(next consumer.Logs) {
	r.t.Helper()
	c, err := NewFactory().CreateLogs(r.t.Context(), r.settings(), r.cfg, next)
	require.NoError(r.t, err)
	r.run(c)
}

func (r *rig) settings() receiver.Settings {
	set := metadatatest.NewSettings(r.tel)
	set.Logger = r.logger
	return set
}

func (r *rig) run(c component.Component) {
	r.t.Helper()
	require.NoError(r.t, c.Start(r.t.Context(), r.host))
	r.running = append(r.running, c)
}

// stop ends what runs and checks what must hold of any scenario.
func (r *rig) stop() {
	r.t.Helper()
	r.shutDown()
	r.checkCalls()
}

func (r *rig) shutDown() {
	r.t.Helper()
	for _, c := range r.running {
		require.NoError(r.t, c.Shutdown(context.Background()))
	}
	r.running = nil
	casetest.CheckGPUSane(r.t, r.sink.AllMetrics())
	require.NoError(r.t, r.tel.Shutdown(context.Background()))
	require.Zero(r.t, stations.Len())
}

// checkCalls fails where the receiver has set anything, or left anything behind.
func (r *rig) checkCalls() {
	r.t.Helper()
	calls := r.world.Calls()
	require.Empty(r.t, calls.Violations())
	require.Zero(r.t, calls.OpenInits(), "nvmlInit without nvmlShutdown")
	require.Equal(r.t, calls.Of("nvmlEventSetCreate"), calls.Of("nvmlEventSetFree"), "event sets")
	require.Equal(r.t, calls.Of("nvmlGpmSampleAlloc"), calls.Of("nvmlGpmSampleFree"), "samples")
	if driverStays(&r.scenario) {
		require.Zero(r.t, calls.OpenGPMSamples(), "samples")
		require.Zero(r.t, calls.OpenEventSets(), "event sets")
	}
	require.LessOrEqual(r.t, calls.GPMInFlight(), 1, "calls for performance counters at once")
}

// driverStays tells whether the driver never goes away. One that is gone also refuses to free.
func driverStays(s *nvmltest.Scenario) bool {
	came := false
	for _, step := range s.NVML.Init {
		if came && step.Ret != "SUCCESS" {
			return false
		}
		came = came || step.Ret == "SUCCESS"
	}
	return true
}

// set moves the scenario to its nth scrape, which is GPUInterval after the one before, and
// tells whether that changes anything.
func (r *rig) set(n int) bool {
	r.t.Helper()
	state := r.scenario.State(time.Duration(n-1)*casetest.GPUInterval*time.Second, n)
	lines := slices.Sorted(strings.Lines(string(state)))
	if slices.Equal(lines, r.state) {
		return false
	}
	r.state = lines
	r.world.Set(state)
	return true
}

// scrape returns the nth scrape of the scenario, the first being 1.
func (r *rig) scrape(n int) pmetric.Metrics {
	r.t.Helper()
	for r.scrapes < n {
		r.scrapes++
		if r.set(r.scrapes) || !r.real || r.scrapes == n {
			r.next()
		}
	}
	return r.last()
}

// next waits for a scrape that begins from now on.
func (r *rig) next() {
	r.t.Helper()
	if !r.real {
		// The first is after initial_delay, and this looks halfway between two.
		wait := r.cfg.CollectionInterval
		if r.scrapes <= 1 {
			wait = r.cfg.InitialDelay + wait/2
		}
		time.Sleep(wait)
		return
	}
	// One may be under way.
	n := len(r.sink.AllMetrics()) + 2
	for end := time.Now().Add(20 * time.Second); len(r.sink.AllMetrics()) < n; time.Sleep(time.Millisecond) {
		require.True(r.t, time.Now().Before(end), "no scrape comes")
	}
}

// awaitListening waits until so many GPUs in all are listened to: what happens before is not
// told.
func (r *rig) awaitListening(times int) {
	r.t.Helper()
	require.Eventually(r.t, func() bool { return r.world.Calls().Of("nvmlDeviceRegisterEvents") == times }, 20*time.Second, 5*time.Millisecond)
}

// last is the newest scrape; those without points count.
func (r *rig) last() pmetric.Metrics {
	all := r.sink.AllMetrics()
	if len(all) == 0 {
		return pmetric.NewMetrics()
	}
	return all[len(all)-1]
}

// lines are the log lines since the last call.
func (r *rig) lines() []string {
	var all []string
	for _, e := range r.log.TakeAll() {
		all = append(all, e.Message)
	}
	return all
}

// statusHost notes what a component says of itself.
type statusHost struct {
	component.Host
	mu     sync.Mutex
	events []*componentstatus.Event
}

func (h *statusHost) Report(e *componentstatus.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// told are the states since the last call, each with its cause.
func (h *statusHost) told() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for _, e := range h.events {
		text := e.Status().String()
		if e.Err() != nil {
			text += ": " + e.Err().Error()
		}
		all = append(all, text)
	}
	h.events = nil
	return all
}
