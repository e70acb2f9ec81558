package play

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/otlp"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/spans"
)

// options play 200 requests to the receiver at once.
func (r *receiver) options() Options {
	cfg := engine.DefaultConfig()
	cfg.Requests = 200
	return Options{
		Engine: cfg, Style: spans.StyleStages, RunID: "test", Logs: LogsOff,
		Target: otlp.Target{Endpoint: r.Listener.Addr().String(), Protocol: otlp.ProtocolHTTP, Insecure: true, RetryFor: time.Second},
	}
}

func TestEverythingArrivesAndIsCounted(t *testing.T) {
	for _, style := range []string{spans.StyleStages, spans.StyleVLLM} {
		r := receive(t)
		o := r.options()
		o.Style, o.Logs = style, LogsOTLP
		account, err := Run(t.Context(), o)
		require.NoError(t, err)
		assert.Equal(t, 200, account.Requests)
		assert.Equal(t, r.spans(), account.Sent.Spans)
		assert.Zero(t, account.Sent.SpansFailed)
		assert.Equal(t, 200, r.records)
		assert.Equal(t, 200, account.Sent.LogRecords)
		assert.False(t, account.Interrupted)
		assert.Equal(t, account.End.UnixNano(), int64(r.last), "the last span ends now")
		assert.WithinDuration(t, time.Now(), account.End, 10*time.Second)
	}
}

func TestScatteredTracesAreWhole(t *testing.T) {
	whole, torn := receive(t), receive(t)
	_, err := Run(t.Context(), whole.options())
	require.NoError(t, err)
	o := torn.options()
	o.Scatter = true
	_, err = Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, whole.spans(), torn.spans())
	for _, ids := range torn.exports {
		seen := map[string]bool{}
		for _, id := range ids {
			require.False(t, seen[id], "two spans of a trace in one export")
			seen[id] = true
		}
	}
}

func TestLogFile(t *testing.T) {
	r := receive(t)
	o := r.options()
	o.Logs = filepath.Join(t.TempDir(), "requests.log")
	account, err := Run(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 200, account.Sent.LogRecords)
}

func TestVLLMLogNamesTheIDsOfTheSpans(t *testing.T) {
	r := receive(t)
	o := r.options()
	o.Logs, o.LogsFormat = filepath.Join(t.TempDir(), "vllm.log"), FormatVLLM
	account, err := Run(t.Context(), o)
	require.NoError(t, err)
	text, err := os.ReadFile(o.Logs)
	require.NoError(t, err)
	assert.Equal(t, strings.Count(string(text), "\n"), account.Sent.LogRecords)
	assert.Contains(t, string(text), "Received request chatcmpl-test-000000: ")
	assert.Regexp(t, `Added request chatcmpl-test-000199-[0-9a-f]{8}\.\n`, string(text))
}

func TestRefusedExportIsAnErrorWithTheTruth(t *testing.T) {
	r := receive(t)
	r.status = http.StatusBadRequest
	account, err := Run(t.Context(), r.options())
	require.ErrorContains(t, err, "spans were not accepted by "+r.Listener.Addr().String())
	require.NotNil(t, account)
	assert.Zero(t, account.Sent.Spans)
	assert.Positive(t, account.Sent.SpansFailed)
}

func TestPartialSuccessIsAnError(t *testing.T) {
	r := receive(t)
	r.answer = &collectortrace.ExportTraceServiceResponse{
		PartialSuccess: &collectortrace.ExportTracePartialSuccess{RejectedSpans: 3, ErrorMessage: "too old"},
	}
	_, err := Run(t.Context(), r.options())
	assert.ErrorContains(t, err, "too old")
}

func TestInterruptionServesThoseInFlight(t *testing.T) {
	r := receive(t)
	o := r.options()
	o.Speed, o.Engine.Requests = 100, 4000
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for r.spans() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	account, err := Run(ctx, o)
	require.NoError(t, err)
	assert.True(t, account.Interrupted)
	assert.Less(t, account.Requests, 4000)
	assert.Positive(t, account.Requests)
	assert.Equal(t, r.spans(), account.Sent.Spans)
}

func TestMistakesAreFoundBeforeTheStart(t *testing.T) {
	r := receive(t)
	for flag, spoil := range map[string]func(*Options){
		"--rate":     func(o *Options) { o.Engine.Rate = 0 },
		"--style":    func(o *Options) { o.Style = "zipkin" },
		"--protocol": func(o *Options) { o.Target.Protocol = "udp" },
		"--speed":    func(o *Options) { o.Speed = -2 },
		"--logs":     func(o *Options) { o.Logs = "/no/such/folder/file" },

		"--logs-format: \"xml\"": func(o *Options) { o.LogsFormat = "xml" },
		"--logs-format: vllm":    func(o *Options) { o.Logs, o.LogsFormat = LogsOTLP, FormatVLLM },
	} {
		o := r.options()
		spoil(&o)
		account, err := Run(t.Context(), o)
		require.ErrorContains(t, err, flag)
		assert.Nil(t, account)
	}
}
