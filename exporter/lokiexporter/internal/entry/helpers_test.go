package entry

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// now is the time of all tests, five seconds after the records of testdata.
var now = time.Date(2026, time.January, 15, 10, 0, 5, 0, time.UTC)

func newConverter(tb testing.TB, change ...func(*Config)) *Converter {
	tb.Helper()
	cfg := DefaultConfig()
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg, func() time.Time { return now })
	require.NoError(tb, err)
	return c
}

// one returns logs with one record of now.
func one(tb testing.TB, resource, attrs map[string]any, change ...func(plog.LogRecord)) plog.Logs {
	tb.Helper()
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	fill := func(m pcommon.Map, attrs map[string]any) {
		// FromRaw has no order.
		for _, key := range slices.Sorted(maps.Keys(attrs)) {
			require.NoError(tb, m.PutEmpty(key).FromRaw(attrs[key]))
		}
	}
	fill(rl.Resource().Attributes(), resource)
	rec := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	fill(rec.Attributes(), attrs)
	rec.SetTimestamp(pcommon.NewTimestampFromTime(now))
	for _, f := range change {
		f(rec)
	}
	return ld
}

func body(s string) func(plog.LogRecord) {
	return func(rec plog.LogRecord) { rec.Body().SetStr(s) }
}

// told writes batches down, one line for each entry, with times as distance from now.
func told(list []Batch) string {
	var b strings.Builder
	for _, batch := range list {
		for _, s := range batch.Streams {
			for _, e := range s.Entries {
				if batch.Tenant != "" {
					fmt.Fprintf(&b, "<%s> ", batch.Tenant)
				}
				line, metadata := read(&e)
				fmt.Fprintf(&b, "%s %v %q", s.Labels, time.Duration(e.Time-now.UnixNano()), line)
				for _, p := range metadata {
					fmt.Fprintf(&b, " %s=%q", p.Name, p.Value)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.String()
}

// metadataOf returns that of the only entry, as name=value.
func metadataOf(tb testing.TB, list []Batch) string {
	tb.Helper()
	require.Len(tb, list, 1)
	require.Len(tb, list[0].Streams, 1)
	require.Len(tb, list[0].Streams[0].Entries, 1)
	var pairs []string
	for _, p := range pairsOf(list) {
		pairs = append(pairs, p.Name+"="+p.Value)
	}
	return strings.Join(pairs, " ")
}

func lineOf(tb testing.TB, list []Batch) string {
	tb.Helper()
	require.Len(tb, list, 1)
	line, _ := read(&list[0].Streams[0].Entries[0])
	return line
}

// pairsOf returns the metadata of the first entry.
func pairsOf(list []Batch) []push.Pair {
	_, metadata := read(&list[0].Streams[0].Entries[0])
	return metadata
}

// read returns the line and the metadata of an entry, which must be as large as it says.
func read(e *push.Entry) (line string, metadata []push.Pair) {
	line, metadata, err := e.Read()
	if size := len(line) + push.MetadataSize(metadata); err != nil || size != e.Size {
		panic(fmt.Sprintf("an entry of %d bytes says %d: %v", size, e.Size, err))
	}
	return line, metadata
}

func readLogs(tb testing.TB, file string) plog.Logs {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	require.NoError(tb, err)
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(data)
	require.NoError(tb, err)
	return ld
}
