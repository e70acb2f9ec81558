package engine

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// play runs a config and returns copies of its requests, in order of their end.
func play(t *testing.T, cfg Config) (ended []Request, moments []Moment) {
	t.Helper()
	s, err := New(cfg)
	require.NoError(t, err)
	s.Run(nil, func(m Moment) {
		moments = append(moments, m)
		if m.Milestone == Ended {
			ended = append(ended, *m.Request)
		}
	})
	require.Zero(t, s.InFlight(), "every request ends")
	return ended, moments
}

func requests(n int) Config {
	cfg := DefaultConfig()
	cfg.Requests = n
	return cfg
}

func TestSameSeedGivesTheSameRun(t *testing.T) {
	cfg := requests(300)
	cfg.ErrorRate, cfg.AbortRate = 0.1, 0.1
	first, _ := play(t, cfg)
	again, _ := play(t, cfg)
	assert.Equal(t, first, again)

	cfg.Seed = 2
	other, _ := play(t, cfg)
	assert.NotEqual(t, first, other)
}

func TestLengthIsTheLastMoment(t *testing.T) {
	cfg := requests(50)
	_, moments := play(t, cfg)
	length, err := Length(cfg)
	require.NoError(t, err)
	assert.Equal(t, moments[len(moments)-1].At, length)
}

func TestRequestsIsExactAndDurationBounds(t *testing.T) {
	ended, _ := play(t, requests(123))
	assert.Len(t, ended, 123)

	cfg := DefaultConfig()
	cfg.Rate, cfg.Duration = 20, 50*time.Second
	ended, _ = play(t, cfg)
	assert.InEpsilon(t, 1000, len(ended), 0.1, "a Poisson process of this rate")
	for _, r := range ended {
		assert.Less(t, r.at[Arrived], cfg.Duration)
	}
}

func TestMomentsComeInOrder(t *testing.T) {
	cfg := requests(400)
	cfg.ErrorRate, cfg.AbortRate, cfg.QueueLimit, cfg.Rate = 0.1, 0.1, 20, 30
	ended, moments := play(t, cfg)
	for i := 1; i < len(moments); i++ {
		require.GreaterOrEqual(t, moments[i].At, moments[i-1].At)
	}
	for _, r := range ended {
		last := r.at[Arrived]
		for m := range milestones {
			if at, ok := r.At(m); ok {
				require.GreaterOrEqual(t, at, last, "milestone %d of request %d", m, r.Index)
				last = at
			}
		}
	}
}

func TestLengthsAndBatchesAreBounded(t *testing.T) {
	cfg := requests(2000)
	cfg.Rate, cfg.MaxBatchSize = 40, 5
	ended, _ := play(t, cfg)
	for _, r := range ended {
		require.GreaterOrEqual(t, r.InputTokens, cfg.Prompt.Min)
		require.LessOrEqual(t, r.InputTokens, cfg.Prompt.Max)
		require.LessOrEqual(t, r.OutputTokens, cfg.Output.Max)
		if r.Has(Scheduled) {
			require.GreaterOrEqual(t, r.BatchSize, 1)
		}
		require.LessOrEqual(t, r.BatchSize, cfg.MaxBatchSize)
	}
}

func TestModelsShareTheLoadByWeight(t *testing.T) {
	ended, _ := play(t, requests(4000))
	byName := map[string]int{}
	for _, r := range ended {
		byName[r.Model.Name]++
	}
	assert.InEpsilon(t, 3000, byName["qwen2.5-7b"], 0.05)
	assert.InEpsilon(t, 1000, byName["llama-3-8b"], 0.15)
}

func TestStopArrivalsServesThoseInFlight(t *testing.T) {
	s, err := New(requests(1000))
	require.NoError(t, err)
	arrived, ended := 0, 0
	s.Run(nil, func(m Moment) {
		switch m.Milestone {
		case Arrived:
			if arrived++; arrived == 40 {
				s.StopArrivals()
			}
		case Ended:
			ended++
		}
	})
	assert.Equal(t, 40, arrived)
	assert.Equal(t, 40, ended)
}

func TestPaceSeesTimeBeforeItHappens(t *testing.T) {
	s, err := New(requests(20))
	require.NoError(t, err)
	var paced time.Duration
	s.Run(func(at time.Duration) { paced = at }, func(m Moment) { require.Equal(t, paced, m.At) })
}
