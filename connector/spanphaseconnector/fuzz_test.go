package spanphaseconnector

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// FuzzConsume takes any batch through the whole connector: it must not panic,
// keep nothing, stay within its limits, and export nothing absurd.
func FuzzConsume(f *testing.F) {
	proto := &ptrace.ProtoMarshaler{}
	add := func(td ptrace.Traces) {
		data, err := proto.MarshalTraces(td)
		require.NoError(f, err)
		f.Add(data)
	}
	dirs, err := filepath.Glob(casesDir + "/*")
	require.NoError(f, err)
	for _, dir := range dirs {
		for _, s := range casetest.Load(f, dir).Steps {
			add(s.Traces)
		}
	}
	fixtures, err := filepath.Glob(fixturesDir + "/*.json")
	require.NoError(f, err)
	for _, file := range fixtures {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		add(casetest.Unmarshal(f, data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		if err != nil {
			return
		}
		synctest.Test(t, func(t *testing.T) { consumeAny(t, td) })
	})
}

func consumeAny(t *testing.T, td ptrace.Traces) {
	t.Helper()
	r := startTwin(t, func(cfg *Config) {
		require.NoError(t, casetest.Example(t, "../../docs/dialects.md", "custom:", "connectors::span_phase").Unmarshal(cfg))
		cfg.Assembly.MaxTraces, cfg.Assembly.MaxTombstones, cfg.Assembly.MaxSpansPerTrace = 8, 8, 16
		cfg.MaxSeries, cfg.MaxModels, cfg.MaxErrorTypes = 50, 3, 3
		cfg.FlushInterval, cfg.SeriesExpiry = time.Minute, 15*time.Minute
	}, nil)
	for range 2 {
		r.send(t, td)
		require.LessOrEqual(t, r.value(t, "open_traces", ""), int64(8))
		require.LessOrEqual(t, r.value(t, "tombstones", ""), int64(8))
		time.Sleep(20 * time.Minute)
		require.Zero(t, r.value(t, "open_traces", ""))
		require.Zero(t, r.value(t, "open_spans", ""))
	}
	r.send(t, td)
	r.stop(t)
	for _, m := range r.sink.AllMetrics() {
		casetest.CheckSane(t, m)
	}
	for _, rec := range r.records() {
		checkRecord(t, rec)
	}
}
