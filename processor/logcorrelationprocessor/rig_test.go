package logcorrelationprocessor

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// rig is the processor in a traces and in a logs pipeline, made by its factory.
type rig struct {
	t      *testing.T
	cfg    *Config
	set    processor.Settings
	traces processor.Traces
	logs   processor.Logs
	spans  *consumertest.TracesSink
	out    *sink
	tel    *componenttest.Telemetry
	closed bool
}

// sink takes records, or fails as long as it is told to.
type sink struct {
	mu      sync.Mutex
	records []plog.LogRecord
	batches []plog.Logs
	err     error
	blocks  bool
	tries   int
}

func (s *sink) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	if s.blocked() {
		<-ctx.Done()
		return ctx.Err()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tries++
	if s.err != nil {
		return s.err
	}
	s.batches = append(s.batches, ld)
	for _, rl := range ld.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, rec := range sl.LogRecords().All() {
				s.records = append(s.records, rec)
			}
		}
	}
	return nil
}

func (s *sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (s *sink) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// block makes it wait until the context of a call ends.
func (s *sink) block(blocks bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.blocks = blocks
}

func (s *sink) blocked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.blocks
}

func (s *sink) tried() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tries
}

func (s *sink) all() []plog.LogRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]plog.LogRecord(nil), s.records...)
}

func newRig(t *testing.T, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{t: t, cfg: createDefaultConfig().(*Config), spans: &consumertest.TracesSink{}, out: &sink{}, tel: componenttest.NewTelemetry()}
	for _, c := range change {
		c(r.cfg)
	}
	require.NoError(t, r.cfg.Validate())
	r.set = processortest.NewNopSettings(metadata.Type)
	r.set.ID = component.NewID(metadata.Type)
	r.set.TelemetrySettings = r.tel.NewTelemetrySettings()
	r.start()
	t.Cleanup(r.close)
	return r
}

// start makes the processor of the rig's configuration and starts it.
func (r *rig) start() {
	r.t.Helper()
	t, f := r.t, NewFactory()
	var err error
	r.traces, err = f.CreateTraces(t.Context(), r.set, r.cfg, r.spans)
	require.NoError(t, err)
	r.logs, err = f.CreateLogs(t.Context(), r.set, r.cfg, r.out)
	require.NoError(t, err)
	require.NoError(t, r.traces.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, r.logs.Start(t.Context(), componenttest.NewNopHost()))
}

// stop shuts the processor down, and with it all that it holds comes out.
func (r *rig) stop() {
	r.t.Helper()
	require.NoError(r.t, r.traces.Shutdown(context.Background()))
	require.NoError(r.t, r.logs.Shutdown(context.Background()))
}

// close is called at the end of a test, if not before.
func (r *rig) close() {
	r.t.Helper()
	if r.closed {
		return
	}
	r.closed = true
	r.stop()
	require.NoError(r.t, r.tel.Shutdown(context.Background()))
	require.Zero(r.t, correlators.Len(), "nothing is left behind")
}

// send gives the tap spans that it shares with other pipelines.
func (r *rig) send(td ptrace.Traces) {
	r.t.Helper()
	shared := ptrace.NewTraces()
	td.CopyTo(shared)
	shared.MarkReadOnly()
	require.NoError(r.t, r.traces.ConsumeTraces(r.t.Context(), shared))
}

func (r *rig) log(ld plog.Logs) {
	r.t.Helper()
	require.NoError(r.t, r.logs.ConsumeLogs(r.t.Context(), ld))
}

// after waits on the clock of the test, and for what that sets going.
func after(d time.Duration) { time.Sleep(d + tick) }
