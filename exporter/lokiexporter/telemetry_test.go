package lokiexporter

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadatatest"
	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// changes are the records that were changed, by what was done; without those that were not.
func (r *rig) changes() map[string]int64 {
	r.t.Helper()
	m, err := r.tel.GetMetric("otelcol_exporter_loki_changes")
	require.NoError(r.t, err)
	counts := map[string]int64{}
	for _, p := range m.Data.(metricdata.Sum[int64]).DataPoints {
		if kind, _ := p.Attributes.Value("kind"); p.Value != 0 {
			counts[kind.AsString()] = p.Value
		}
	}
	return counts
}

func TestTelemetry(t *testing.T) {
	r := newRig(t, lokitest.Options{})
	r.server.Script(lokitest.Answer{Status: http.StatusRequestEntityTooLarge})
	ld := records(2, "chat")
	for _, rec := range large(ld).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().All() {
		rec.Attributes().PutStr("more", strings.Repeat("y", 200))
	}
	ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).SetTimestamp(0)
	require.NoError(t, r.exp.ConsumeLogs(t.Context(), ld))
	withoutTime, withoutExemplars := metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars()
	metadatatest.AssertEqualExporterLokiEntries(t, r.tel, []metricdata.DataPoint[int64]{{
		Value: 2, Attributes: attribute.NewSet(attribute.String("outcome", "delivered"), attribute.String("cause", "none")),
	}}, withoutTime, withoutExemplars)
	metadatatest.AssertEqualExporterLokiSplits(t, r.tel, []metricdata.DataPoint[int64]{{Value: 1}}, withoutTime, withoutExemplars)
	metadatatest.AssertEqualExporterLokiActiveStreams(t, r.tel, []metricdata.DataPoint[int64]{{Value: 1}}, withoutTime, withoutExemplars)
	metadatatest.AssertEqualExporterLokiActiveTenants(t, r.tel, []metricdata.DataPoint[int64]{{Value: 1}}, withoutTime, withoutExemplars)
	sent := 0
	for _, rec := range r.server.Records(lokitest.Query{}) {
		sent += len(rec.Line)
		for _, p := range rec.Metadata {
			// Loki adds this one.
			if p.Name != "detected_level" {
				sent += len(p.Name) + len(p.Value)
			}
		}
	}
	metadatatest.AssertEqualExporterLokiSentBytes(t, r.tel, []metricdata.DataPoint[int64]{{Value: int64(sent)}}, withoutTime, withoutExemplars)
	metadatatest.AssertEqualExporterLokiPushDuration(t, r.tel, []metricdata.HistogramDataPoint[float64]{{Count: 3}},
		withoutTime, withoutExemplars, metricdatatest.IgnoreValue())
	assert.Equal(t, map[string]int64{"time_missing": 1}, r.changes())
	r.close()
}

// Caps hold through the exporter, what was replaced is in metadata, and nothing is dropped.
func TestCaps(t *testing.T) {
	r := newRig(t, lokitest.Options{}, func(cfg *Config) { cfg.MaxLabelValues, cfg.MaxStreams = 5, 100 })
	for i := range 20 {
		require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(1, fmt.Sprintf("s%d", i))))
	}
	assert.Len(t, r.server.Streams("fake"), 6)
	kept := r.server.Records(lokitest.Query{Labels: map[string]string{"service_name": "other"}})
	require.Len(t, kept, 15)
	original, _ := kept[0].Get("service_name_original")
	assert.Equal(t, "s5", original)
	assert.Equal(t, map[string]int64{"label_value_overflow": 15}, r.changes())
	r.close()

	r = newRig(t, lokitest.Options{}, func(cfg *Config) { cfg.MaxStreams = 10 })
	for i := range 20 {
		require.NoError(t, r.exp.ConsumeLogs(t.Context(), records(1, fmt.Sprintf("s%d", i))))
	}
	assert.LessOrEqual(t, len(r.server.Streams("fake")), 10)
	assert.Equal(t, 20, r.server.Stats().Kept)
	assert.Positive(t, r.changes()["stream_overflow"])
	r.close()
}

// One line a minute for a cause, in Loki's words, without a line of the log in it.
func TestComplaints(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{Limits: func(l *lokitest.Limits) { l.MaxLineSize = 3 }})
	core, logs := observer.New(zapcore.WarnLevel)
	set := exportertest.NewNopSettings(metadata.Type)
	set.Logger = zap.New(core)
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoint = server.URL
	exp, err := NewFactory().CreateLogs(t.Context(), set, cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), componenttest.NewNopHost()))
	cfg.QueueConfig.Get().Batch.Get().MinSize = 0
	for range 5 {
		require.NoError(t, exp.ConsumeLogs(t.Context(), records(2, "chat")))
	}
	require.NoError(t, exp.Shutdown(t.Context()))
	told := logs.FilterField(zap.String("cause", "line_too_long"))
	require.Equal(t, 1, told.Len())
	assert.Contains(t, told.All()[0].Message, "refused")
	assert.NotContains(t, told.All()[0].Message, "line 0")
}
