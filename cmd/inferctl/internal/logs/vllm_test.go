package logs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// vllmLog plays a load and returns the text of the log.
func vllmLog(t *testing.T, requests int) string {
	t.Helper()
	cfg := engine.DefaultConfig()
	cfg.Requests, cfg.Rate, cfg.QueueLimit, cfg.ErrorRate, cfg.AbortRate = requests, 30, 10, 0.1, 0.1
	sim, err := engine.New(cfg)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "vllm.log")
	log, err := OpenVLLM(path)
	require.NoError(t, err)
	at := time.Date(2026, 8, 21, 12, 0, 0, 0, time.Local) //nolint:gosmopolitan // as vLLM does
	sim.Run(nil, func(m engine.Moment) {
		require.NoError(t, log.Observe(Moment{Moment: m, RequestID: "chatcmpl-1", EngineID: "chatcmpl-1-0a1b2c3d", Time: at, Span: span}))
	})
	require.NoError(t, log.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, log.Lines(), strings.Count(string(text), "\n"))
	return string(text)
}

func TestVLLMWritesItsOwnLines(t *testing.T) {
	text := vllmLog(t, 400)
	assert.Contains(t, text, "INFO 08-21 12:00:00 [logger.py:61] Received request chatcmpl-1: params: SamplingParams(n=1, ")
	assert.Contains(t, text, "INFO 08-21 12:00:00 [async_llm.py:420] Added request chatcmpl-1-0a1b2c3d.\n")
	assert.Contains(t, text, "] Generated response chatcmpl-1 (streaming complete): output: '', output_token_ids: None, finish_reason: stop\n")
	assert.Contains(t, text, "] Request chatcmpl-1 aborted.\n")
	assert.Contains(t, text, "] Request chatcmpl-1 failed due to ")
	assert.NotContains(t, text, span.TraceID().String(), "vLLM writes no trace ids")
	ends := regexp.MustCompile(`Generated response |Request chatcmpl-1 (aborted|failed)`).FindAllString(text, -1)
	assert.Len(t, ends, 400, "each request ends once")
	assert.Equal(t, 400, strings.Count(text, "Received request "))
}

func TestVLLMWritesTheSameForTheSameSeed(t *testing.T) {
	first, again := vllmLog(t, 50), vllmLog(t, 50)
	assert.Equal(t, first, again)
}
