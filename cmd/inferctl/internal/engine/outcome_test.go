package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutcomesFollowTheirRates(t *testing.T) {
	cfg := requests(4000)
	cfg.ErrorRate, cfg.AbortRate = 0.1, 0.2
	ended, _ := play(t, cfg)
	byOutcome := map[Outcome]int{}
	for _, r := range ended {
		byOutcome[r.Outcome]++
	}
	assert.InEpsilon(t, 400, byOutcome[Failed], 0.15)
	assert.InEpsilon(t, 720, byOutcome[Aborted], 0.15)
	assert.Len(t, byOutcome, 3)
}

func TestClientsLeaveInMidStream(t *testing.T) {
	cfg := requests(500)
	cfg.ErrorRate, cfg.AbortRate = 0, 1
	ended, _ := play(t, cfg)
	for _, r := range ended {
		if r.fate.tokens == 1 {
			continue
		}
		require.Equal(t, Aborted, r.Outcome)
		require.Equal(t, ErrorDisconnected, r.ErrorType)
		require.True(t, r.Has(FirstToken))
		require.Less(t, r.OutputTokens, r.fate.tokens)
		require.False(t, r.Has(Postprocessed))
		require.Equal(t, r.at[Generated], r.at[Ended])
	}
}

func TestEngineBreaksAnywhereInTheAnswer(t *testing.T) {
	cfg := requests(2000)
	cfg.ErrorRate, cfg.Rate = 1, 20
	cfg.Output.Median = 4
	ended, _ := play(t, cfg)
	inPrefill := 0
	for _, r := range ended {
		require.Equal(t, Failed, r.Outcome)
		require.Contains(t, []string{ErrorEngine, ErrorOutOfMemory}, r.ErrorType)
		require.Equal(t, r.OutputTokens > 0, r.Has(FirstToken))
		if r.OutputTokens == 0 {
			inPrefill++
		}
	}
	assert.Positive(t, inPrefill)
	assert.Less(t, inPrefill, len(ended))
}

func TestFullQueueRejects(t *testing.T) {
	cfg := requests(300)
	cfg.Rate, cfg.QueueLimit, cfg.MaxBatchSize = 50, 3, 2
	ended, _ := play(t, cfg)
	rejected := 0
	for _, r := range ended {
		if r.Outcome != Rejected {
			continue
		}
		rejected++
		require.Equal(t, ErrorQueueFull, r.ErrorType)
		require.True(t, r.Has(Preprocessed))
		require.False(t, r.Has(Scheduled))
	}
	assert.Greater(t, rejected, 100)
}

func TestDeadlinePassesInQueueAndOnGPU(t *testing.T) {
	cfg := requests(300)
	cfg.Rate, cfg.MaxBatchSize, cfg.Timeout = 10, 2, 3*time.Second
	ended, _ := play(t, cfg)
	inQueue, onGPU := 0, 0
	for _, r := range ended {
		switch {
		case r.Outcome != TimedOut:
		case r.Has(Scheduled):
			onGPU++
		default:
			inQueue++
		}
	}
	assert.Positive(t, inQueue)
	assert.Positive(t, onGPU)
}

func TestFinishReasonTellsCutAnswers(t *testing.T) {
	cfg := requests(500)
	cfg.ErrorRate, cfg.AbortRate, cfg.Output.Max = 0, 0, 100
	ended, _ := play(t, cfg)
	for _, r := range ended {
		want := FinishStop
		if r.OutputTokens == 100 {
			want = FinishLength
		}
		require.Equal(t, want, r.FinishReason)
	}
}
