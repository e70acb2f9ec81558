package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestValidateNamesEveryMistake(t *testing.T) {
	cfg := DefaultConfig()
	require.NoError(t, cfg.Validate())
	cfg.Rate, cfg.GPUs, cfg.MaxBatchSize, cfg.ErrorRate, cfg.Models = 0, 0, -1, 1.5, nil
	err := cfg.Validate()
	for _, flag := range []string{"--rate", "--gpus", "--max-batch-size", "--error-rate", "--models"} {
		require.ErrorContains(t, err, flag)
	}
	_, err = New(cfg)
	require.Error(t, err)
	_, err = Length(cfg)
	require.Error(t, err)
}

func TestUnknownFaultListsTheKnown(t *testing.T) {
	cfg := DefaultConfig()
	err := cfg.Inject("slow-gpu", "gremlins")
	require.ErrorContains(t, err, `"gremlins"`)
	assert.ErrorContains(t, err, "slow-preprocess, no-batching, long-prompts, slow-gpu, overload")
}

func TestParseModels(t *testing.T) {
	models, err := ParseModels("qwen2.5-7b@v1=3, llama-3-8b")
	require.NoError(t, err)
	assert.Equal(t, []Model{{"qwen2.5-7b", "v1", 3}, {"llama-3-8b", "v1", 1}}, models)
	for _, bad := range []string{"", "a@", "@v1", "a=0", "a=-1", "a=x", "a=NaN", "a=Inf", "a@v1,a@v1=2"} {
		_, err := ParseModels(bad)
		assert.Error(t, err, "%q", bad)
	}
}

func TestLargerModelsAreSlower(t *testing.T) {
	scale := func(name string) float64 { return Model{Name: name}.scale() }
	assert.InDelta(t, 1, scale("qwen2.5-7b"), 1e-9)
	assert.InDelta(t, 1, scale("house-model"), 1e-9)
	assert.Greater(t, scale("llama-3-70B-instruct"), 3.0)
	assert.Less(t, scale("qwen2.5-0.5b"), 0.3)
}
