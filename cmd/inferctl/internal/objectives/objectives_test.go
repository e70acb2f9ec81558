package objectives

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: a file with an entry for some models and one for all.
// Guarantees: for each model and signal the first that matches counts, defaults hold, and twice the threshold is
// critical unless the file says otherwise.
func TestParse(t *testing.T) {
	f, err := Parse([]byte(`
models:
  - model: "qwen.*|llama\\.3"
    request: {threshold: 1500ms, objective: 99%}
    ttft: {threshold: 1s, critical: 3s}
  - model: ".*"
    request: {threshold: 30s}
    availability: {objective: 99.95%}
alerts:
  InferenceTruncated: {off: true}
`))
	require.NoError(t, err)
	assert.Equal(t, 30*24*time.Hour, f.Window)
	assert.Equal(t, 20, f.MinRequests)
	assert.True(t, f.Alerts["InferenceTruncated"].Off)
	require.Len(t, f.Objectives, 4)
	assert.Equal(t, Objective{
		Signal: Request, Key: "models[0].request", Model: `qwen.*|llama\.3`, Matcher: `inference_model_name=~"qwen.*|llama\\.3"`,
		Threshold: 1500 * time.Millisecond, Critical: 3 * time.Second, Share: 0.99,
	}, f.Objectives[0])
	assert.Equal(t, 3*time.Second, f.Objectives[1].Critical)
	assert.Equal(t, `inference_model_name=~".*", inference_model_name!~"qwen.*|llama\\.3"`, f.Objectives[2].Matcher)
	assert.Zero(t, f.Objectives[2].Share)
	assert.Equal(t, `inference_model_name=~".*"`, f.Objectives[3].Matcher)
	assert.InDelta(t, 0.9995, f.Objectives[3].Share, 1e-12)
}

// Scenario: a file in which everything is wrong.
// Guarantees: each mistake is told, with its key.
func TestMistakes(t *testing.T) {
	_, err := Parse([]byte(`
window: 90m
min_requests: 0
models:
  - request: {threshold: 0s, objective: 100%}
  - model: "("
    ttft: {threshold: soon, critical: 1s}
  - model: a
    tpot: {threshold: 1s, critical: 500ms, objective: "0.99"}
    availability: {threshold: 1s}
  - model: a
    tpot: {threshold: 1s}
  - model: b
`))
	require.Error(t, err)
	for _, key := range []string{
		"window: ", "min_requests: ", "models[0].model: ", "models[0].request.threshold: ", "models[0].request.objective: ",
		"models[1].model: ", "models[1].ttft.threshold: ", "models[2].tpot.critical: ", "models[2].tpot.objective: ",
		"models[2].availability: ", "models[2].availability.objective: ", "models[3].tpot: is never looked at", "models[4]: promises nothing",
	} {
		assert.Contains(t, err.Error(), key)
	}
	assert.Equal(t, 13, strings.Count(err.Error(), "\n")+1, err.Error())

	_, err = Parse(nil)
	require.ErrorContains(t, err, "models: is empty")
	_, err = Parse([]byte("modles: []\nmin_requests: 0\nmodels: [{model: a, ttft: 10s, tpot: {treshold: 1s}}]\n"))
	for _, told := range []string{
		"line 1: modles is no key here, give one of window, min_requests, models, alerts",
		"line 3: `10s` does not belong here, give keys: threshold, critical, objective",
		"line 3: treshold is no key here, give one of threshold, critical, objective",
		"min_requests: 0, give 1 or more", // all at once
	} {
		require.ErrorContains(t, err, told)
	}
	_, err = Load("testdata/none.yaml")
	require.Error(t, err)
}
