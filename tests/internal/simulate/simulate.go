// Package simulate runs inferctl simulate: a service that writes its spans with
// the OpenTelemetry SDK, and tells the truth about them.
package simulate

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
)

// Truth is what inferctl simulate --truth writes, as far as tests look at it.
type Truth struct {
	Style    string  `json:"style"`
	Requests int     `json:"requests"`
	Sent     Sent    `json:"sent"`
	Models   []Model `json:"models"`
}

// Sent counts spans, and records of the request log, to a receiver or to a file.
type Sent struct {
	Spans            int `json:"spans"`
	SpansFailed      int `json:"spans_failed"`
	LogRecords       int `json:"log_records"`
	LogRecordsFailed int `json:"log_records_failed"`
}

// Model is what was sent for one model and version.
type Model struct {
	Name            string             `json:"name"`
	Version         string             `json:"version"`
	Outcomes        map[string]int     `json:"outcomes"`
	FinishReasons   map[string]int     `json:"finish_reasons"`
	InputTokens     int                `json:"input_tokens"`
	OutputTokens    int                `json:"output_tokens"`
	RequestDuration Summary            `json:"request_duration"`
	CallDuration    Summary            `json:"call_duration"`
	RequestTTFT     Summary            `json:"request_time_to_first_token"`
	CallTTFT        Summary            `json:"call_time_to_first_token"`
	TPOT            Summary            `json:"time_per_output_token"`
	Phases          map[string]Summary `json:"phases"`
	Subphases       map[string]Summary `json:"subphases"`
}

// Summary describes durations in seconds, with exact quantiles.
type Summary struct {
	Count uint64  `json:"count"`
	P50   float64 `json:"p50"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Sum   float64 `json:"sum"`
}

// Run runs the simulation as fast as it can, to its end, and requires that the
// receiver took every span.
func Run(t testing.TB, endpoint string, args ...string) Truth {
	t.Helper()
	inferctl := binary(t)
	file := filepath.Join(t.TempDir(), "truth.json")
	args = append([]string{"simulate", "--endpoint", endpoint, "--speed", "0", "--truth", file}, args...)
	out, err := exec.CommandContext(t.Context(), inferctl, args...).CombinedOutput() //nolint:gosec // what the test wants to see
	require.NoError(t, err, "%v: %s", args, out)
	data, err := os.ReadFile(file) //nolint:gosec // just written
	require.NoError(t, err)
	var truth Truth
	require.NoError(t, json.Unmarshal(data, &truth))
	require.NotZero(t, truth.Sent.Spans)
	require.Zero(t, truth.Sent.SpansFailed)
	require.Zero(t, truth.Sent.LogRecordsFailed)
	truth.requireWhole(t)
	return truth
}

// Start lets the simulation run at the pace of the clock. Kill it to let it end at once.
func Start(t testing.TB, endpoint string, args ...string) *process.Process {
	t.Helper()
	return process.Start(t, binary(t), append([]string{"simulate", "--endpoint", endpoint, "--duration", "3h"}, args...)...)
}

func binary(t testing.TB) string {
	t.Helper()
	return process.Find(t, "INFERCTL", "../../bin/inferctl", "make build")
}

// requireWhole fails for a truth that says nothing: the tests compare with it,
// and a key that has got another name would make them compare with zero.
func (truth *Truth) requireWhole(t testing.TB) {
	t.Helper()
	require.NotZero(t, truth.Requests)
	require.NotEmpty(t, truth.Models)
	for i := range truth.Models {
		m := &truth.Models[i]
		for _, s := range []Summary{m.RequestDuration, m.CallDuration, m.RequestTTFT, m.CallTTFT, m.TPOT, m.Phases["queue"]} {
			require.NotZero(t, s.Count, "%s: %+v", m.Name, m)
			require.NotZero(t, s.P50, "%s: %+v", m.Name, m)
		}
		require.NotZero(t, m.InputTokens)
		require.NotZero(t, m.OutputTokens)
		require.NotEmpty(t, m.Outcomes)
	}
}
