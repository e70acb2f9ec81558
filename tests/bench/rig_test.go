package bench

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"
	"go.opentelemetry.io/collector/processor/processortest"
)

// sink counts records and spans.
type sink struct {
	left atomic.Int64
	done chan struct{}

	mu     sync.Mutex     // records come from their sender and after a wait
	states map[string]int // nil: not looked at, which costs
}

// expect makes wait return after n records or spans.
func (s *sink) expect(n int) {
	s.done = make(chan struct{})
	s.left.Store(int64(n))
}

// wait sleeps until all have come: to poll would cost.
func (s *sink) wait(tb testing.TB) {
	tb.Helper()
	select {
	case <-s.done:
	case <-time.After(time.Minute):
		require.FailNow(tb, "not all came out", "%d are missing", s.left.Load())
	}
}

func (s *sink) took(n int) {
	if s.left.Add(-int64(n)) == 0 {
		close(s.done)
	}
}

func (s *sink) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

func (s *sink) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	s.took(td.SpanCount())
	return nil
}

func (s *sink) ConsumeLogs(_ context.Context, ld plog.Logs) error {
	if s.states != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, rl := range ld.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, rec := range sl.LogRecords().All() {
					state, _ := rec.Attributes().Get("correlation.state")
					s.states[state.Str()]++
				}
			}
		}
	}
	s.took(ld.LogRecordCount())
	return nil
}

// settings have real telemetry: every collector measures itself.
func settings(tb testing.TB, kind component.Type) processor.Settings {
	tb.Helper()
	telemetry := componenttest.NewTelemetry()
	tb.Cleanup(func() { require.NoError(tb, telemetry.Shutdown(context.Background())) })
	set := processortest.NewNopSettings(kind)
	set.ID = component.NewID(kind)
	set.TelemetrySettings = telemetry.NewTelemetrySettings()
	return set
}

func configured(tb testing.TB, f processor.Factory, config map[string]any) component.Config {
	tb.Helper()
	cfg := f.CreateDefaultConfig()
	require.NoError(tb, confmap.NewFromStringMap(config).Unmarshal(cfg))
	return cfg
}

func start(tb testing.TB, c component.Component) {
	tb.Helper()
	require.NoError(tb, c.Start(tb.Context(), componenttest.NewNopHost()))
	tb.Cleanup(func() { require.NoError(tb, c.Shutdown(context.Background())) })
}
