package spanphaseconnector

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/connector/connectortest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

const (
	casesDir    = "../../tests/cases"
	fixturesDir = "../../tests/fixtures/otlp"
)

// rig is a connector made by its factory, with a sink behind it.
type rig struct {
	connector.Traces
	sink      *consumertest.MetricsSink
	telemetry *componenttest.Telemetry
}

// newRig starts a connector; in a synctest bubble its clock is the bubble's.
func newRig(t *testing.T, change func(*Config)) *rig {
	t.Helper()
	return newRigBefore(t, change, func(sink consumer.Metrics) consumer.Metrics { return sink })
}

// newRigBefore puts another consumer between connector and sink.
func newRigBefore(t *testing.T, change func(*Config), between func(consumer.Metrics) consumer.Metrics) *rig {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.InstanceID = "test"
	if change != nil {
		change(cfg)
	}
	require.NoError(t, cfg.Validate())
	r := &rig{sink: &consumertest.MetricsSink{}, telemetry: componenttest.NewTelemetry()}
	set := connectortest.NewNopSettings(metadata.Type)
	set.ID = component.NewID(metadata.Type)
	set.TelemetrySettings = r.telemetry.NewTelemetrySettings()
	c, err := NewFactory().CreateTracesToMetrics(t.Context(), set, cfg, between(r.sink))
	require.NoError(t, err)
	require.NoError(t, c.Start(t.Context(), componenttest.NewNopHost()))
	r.Traces = c
	return r
}

// send consumes a read-only copy: the connector must not change what it shares.
func (r *rig) send(t *testing.T, td ptrace.Traces) {
	t.Helper()
	shared := ptrace.NewTraces()
	td.CopyTo(shared)
	shared.MarkReadOnly()
	require.NoError(t, r.ConsumeTraces(t.Context(), shared))
}

// play sends the steps of a case at their times and waits until all is closed
// and exported.
func (r *rig) play(t *testing.T, c casetest.Case) {
	t.Helper()
	start := time.Now()
	for _, s := range c.Steps {
		time.Sleep(s.At - time.Since(start))
		r.send(t, s.Traces)
	}
	time.Sleep(20 * time.Minute)
}

func (r *rig) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.telemetry.Shutdown(t.Context()))
}

// value returns a number of the connector's own telemetry, summed over its
// reasons, or of one.
func (r *rig) value(t *testing.T, name, reason string) (total int64) {
	t.Helper()
	m, err := r.telemetry.GetMetric("otelcol_connector_span_phase_" + name)
	require.NoError(t, err)
	points := []metricdata.DataPoint[int64]{}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		points = data.DataPoints
	case metricdata.Gauge[int64]:
		points = data.DataPoints
	}
	for _, p := range points {
		if v, ok := p.Attributes.Value("reason"); reason == "" || ok && v.AsString() == reason {
			total += p.Value
		}
	}
	return total
}

// Scenario: every case arrives as its schedule says, with the default config.
// Guarantees: the right numbers, and nothing is kept afterwards.
func TestCases(t *testing.T) {
	casetest.Each(t, casesDir, func(t *testing.T, c casetest.Case) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(cfg *Config) { cfg.SeriesExpiry = time.Hour })
			r.play(t, c)
			assert.Zero(t, r.value(t, "open_traces", ""))
			assert.Zero(t, r.value(t, "open_spans", ""))
			for counter, want := range c.Expect.Counters {
				assert.Equal(t, want, r.value(t, counter, ""), counter)
			}
			casetest.Check(t, c, r.sink.AllMetrics())
			r.stop(t)
		})
	})
}
