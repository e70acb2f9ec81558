package casetest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const kindLog = "log"

// LogCase is a condition of logs that are joined to traces.
type LogCase struct {
	Name   string
	Steps  []LogStep
	Expect LogExpect
}

// LogStep is one export, of logs or of traces, at a time from the start.
type LogStep struct {
	At     time.Duration
	Logs   plog.Logs
	Traces ptrace.Traces
	Trace  bool
	// Records is the number of records; who consumes Logs may take them out.
	Records int
}

// LogExpect is the part of expect.json that is about logs.
type LogExpect struct {
	Join struct {
		// Joined records leave with the trace id of a trace of the case, Unjoined ones with
		// none that was not their own.
		Joined   int `json:"joined"`
		Unjoined int `json:"unjoined"`
	} `json:"join"`
	// States is how many records leave with each correlation.state; those that are not
	// listed are not checked.
	States map[string]int `json:"states"`
	// Attributes is how many records leave with an attribute of this value, as text.
	Attributes map[string]map[string]int `json:"attributes"`
}

// EachLog runs f as a subtest for every case of logs below dir.
func EachLog(t *testing.T, dir string, f func(t *testing.T, c LogCase)) {
	t.Helper()
	for _, c := range LogCases(t, dir) {
		t.Run(c.Name, func(t *testing.T) { f(t, c) })
	}
}

// LogCases reads every case of logs below dir.
func LogCases(t testing.TB, dir string) (list []LogCase) {
	t.Helper()
	for _, dir := range cases(t, dir) {
		if kind(t, dir) == kindLog {
			list = append(list, loadLog(t, dir))
		}
	}
	return list
}

func loadLog(t testing.TB, dir string) LogCase {
	t.Helper()
	c := LogCase{Name: filepath.Base(dir)}
	readJSON(t, filepath.Join(dir, "expect.json"), &c.Expect)
	if data, err := os.ReadFile(filepath.Join(dir, "traces.json")); err == nil {
		c.Steps = append(c.Steps, logStep(t, 0, data))
	}
	if data, err := os.ReadFile(filepath.Join(dir, "input.json")); err == nil {
		c.Steps = append(c.Steps, logStep(t, 0, data))
		return c
	}
	lines := readLines(t, filepath.Join(dir, "input.jsonl"))
	var schedule []struct {
		Line int   `json:"line"`
		AtMS int64 `json:"at_ms"`
	}
	readJSON(t, filepath.Join(dir, "schedule.json"), &schedule)
	for _, s := range schedule {
		require.Less(t, s.Line, len(lines), "schedule.json")
		c.Steps = append(c.Steps, logStep(t, time.Duration(s.AtMS)*time.Millisecond, lines[s.Line]))
	}
	return c
}

func logStep(t testing.TB, at time.Duration, data []byte) LogStep {
	t.Helper()
	var what struct {
		ResourceSpans json.RawMessage `json:"resourceSpans"`
	}
	require.NoError(t, json.Unmarshal(data, &what))
	if what.ResourceSpans != nil {
		return LogStep{At: at, Traces: Unmarshal(t, data), Trace: true}
	}
	ld, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(bytes.TrimSpace(data))
	require.NoError(t, err)
	return LogStep{At: at, Logs: ld, Records: ld.LogRecordCount()}
}

// Records is the number of records that go in.
func (c *LogCase) Records() (n int) {
	for _, s := range c.Steps {
		n += s.Records
	}
	return n
}

// Check compares what left with what is expected.
func (c *LogCase) Check(t testing.TB, out []plog.LogRecord) {
	t.Helper()
	require.Len(t, out, c.Records(), "records in and out")
	traces := map[string]bool{}
	for _, s := range c.Steps {
		if s.Trace {
			for _, rs := range s.Traces.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						traces[span.TraceID().String()] = true
					}
				}
			}
		}
	}
	joined, states, attributes := 0, map[string]int{}, map[string]map[string]int{}
	for _, rec := range out {
		if traces[rec.TraceID().String()] {
			joined++
		}
		for key, value := range rec.Attributes().All() {
			if key == "correlation.state" {
				states[value.Str()]++
			}
			if c.Expect.Attributes[key] != nil {
				if attributes[key] == nil {
					attributes[key] = map[string]int{}
				}
				attributes[key][value.AsString()]++
			}
		}
	}
	require.Equal(t, c.Expect.Join.Joined, joined, "joined")
	require.Equal(t, c.Expect.Join.Unjoined, len(out)-joined, "unjoined")
	for state, n := range c.Expect.States {
		require.Equal(t, n, states[state], "state %s, of %v", state, states)
	}
	for key, values := range c.Expect.Attributes {
		for value, n := range values {
			require.Equal(t, n, attributes[key][value], "%s=%s, of %v", key, value, attributes[key])
		}
	}
}
