// Package casetest reads the cases of tests/cases and checks what a component
// or the collector made of them. A case is a condition from a public bug
// report: its input, when each part of it arrives, and the right numbers. The
// input is telemetry, or a machine with GPUs (see [GPUCase]).
package casetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Case is one condition.
type Case struct {
	Name   string
	Steps  []Step
	Expect Expect
}

// Step is one export, at a time from the start.
type Step struct {
	At     time.Duration
	Traces ptrace.Traces
}

// Expect is the part of expect.json that is numbers.
type Expect struct {
	Measures map[string]Wants `json:"measures"`
	Absent   []string         `json:"absent"`
	// Counters is what the collector's own counters must be, by name without
	// prefix. Those that are not listed are not checked.
	Counters map[string]int64 `json:"counters"`
}

// Wants is what one measure must be: one entry, or one for each set of labels.
type Wants []Want

// Want is a count and a sum over the series that have the labels in Where.
type Want struct {
	Where map[string]string `json:"where"`
	Count uint64            `json:"count"`
	Sum   float64           `json:"sum"`
}

// UnmarshalJSON takes one entry or a list.
func (w *Wants) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		return json.Unmarshal(data, (*[]Want)(w))
	}
	*w = make(Wants, 1)
	return json.Unmarshal(data, &(*w)[0])
}

// Each runs f as a subtest for every case of telemetry below dir.
func Each(t *testing.T, dir string, f func(t *testing.T, c Case)) {
	t.Helper()
	for _, dir := range cases(t, dir) {
		if k := kind(t, dir); k == kindGPU || k == kindLog {
			continue
		}
		c := Load(t, dir)
		t.Run(c.Name, func(t *testing.T) { f(t, c) })
	}
}

// cases are the folders of all cases below dir.
func cases(t testing.TB, dir string) (dirs []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "expect.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "there are no cases below %s", dir)
	for _, file := range files {
		dirs = append(dirs, filepath.Dir(file))
	}
	return dirs
}

func kind(t testing.TB, dir string) string {
	t.Helper()
	var expect struct {
		Kind string `json:"kind"`
	}
	readJSON(t, filepath.Join(dir, "expect.json"), &expect)
	return expect.Kind
}

// Load reads the case in dir. One of a GPU has no steps.
func Load(t testing.TB, dir string) Case {
	t.Helper()
	c := Case{Name: filepath.Base(dir)}
	readJSON(t, filepath.Join(dir, "expect.json"), &c.Expect)
	if kind(t, dir) == kindGPU {
		return c
	}
	if data, err := os.ReadFile(filepath.Join(dir, "input.pb")); err == nil {
		// What JSON cannot say, such as text that is no UTF-8.
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
		require.NoError(t, err)
		c.Steps = []Step{{Traces: td}}
		return c
	}
	if _, err := os.Stat(filepath.Join(dir, "input.json")); err == nil {
		data, err := os.ReadFile(filepath.Join(dir, "input.json"))
		require.NoError(t, err)
		c.Steps = []Step{{Traces: Unmarshal(t, data)}}
		return c
	}
	lines := readLines(t, filepath.Join(dir, "input.jsonl"))
	var schedule []struct {
		Line int   `json:"line"`
		AtMS int64 `json:"at_ms"`
	}
	readJSON(t, filepath.Join(dir, "schedule.json"), &schedule)
	for _, s := range schedule {
		c.Steps = append(c.Steps, Step{time.Duration(s.AtMS) * time.Millisecond, Unmarshal(t, lines[s.Line])})
	}
	return c
}

// Unmarshal reads an OTLP/JSON export.
func Unmarshal(t testing.TB, data []byte) ptrace.Traces {
	t.Helper()
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(data)
	require.NoError(t, err)
	return td
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into), file)
}

func readLines(t testing.TB, file string) (lines [][]byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	scanner := bufio.NewScanner(bytes.NewReader(data))
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		if line := bytes.TrimSpace(scanner.Bytes()); len(line) > 0 {
			lines = append(lines, bytes.Clone(line))
		}
	}
	require.NoError(t, scanner.Err())
	return lines
}
