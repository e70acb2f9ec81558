package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// medians of the phases of a run.
type medians struct{ preprocess, queue, inference, firstToken time.Duration }

func measure(t *testing.T, cfg Config) medians {
	t.Helper()
	ended, _ := play(t, cfg)
	median := func(from, to Milestone) time.Duration {
		var all []time.Duration
		for _, r := range ended {
			if d, ok := r.Between(from, to); ok {
				all = append(all, d)
			}
		}
		require.NotEmpty(t, all)
		slices.Sort(all)
		return all[len(all)/2]
	}
	return medians{
		preprocess: median(Received, Preprocessed), queue: median(Preprocessed, Scheduled),
		inference: median(Scheduled, Generated), firstToken: median(Scheduled, FirstToken),
	}
}

func TestQueueGrowsWithLoadOnly(t *testing.T) {
	var last time.Duration
	for _, rate := range []float64{1, 10, 30, 90} {
		cfg := requests(600)
		cfg.Rate = rate
		queue := measure(t, cfg).queue
		assert.Greater(t, queue, last, "at %v requests per second", rate)
		last = queue
	}
}

func TestAnIdleServiceDoesNotQueue(t *testing.T) {
	cfg := requests(100)
	cfg.Rate = 0.02 // one request at a time
	ended, _ := play(t, cfg)
	waited := 0
	for _, r := range ended {
		if d, ok := r.Between(Preprocessed, Scheduled); ok && d != cfg.Step.Wake {
			waited++
		}
	}
	assert.Less(t, waited, 10)
}

func TestMoreGPUsTakeTheQueueAway(t *testing.T) {
	cfg := requests(600)
	cfg.Rate = 20
	one := measure(t, cfg)
	cfg.GPUs = 4
	four := measure(t, cfg)
	assert.Less(t, four.queue, one.queue/10)
}

func TestStepsSlowDownWithTheBatch(t *testing.T) {
	cost := DefaultConfig().Step
	one, sixteen := cost.of(1, 0, 1), cost.of(16, 0, 1)
	assert.Greater(t, sixteen, one)
	assert.Less(t, sixteen, 2*one, "batching pays")
	assert.Greater(t, cost.of(1, 1000, 1), 4*one, "prefill is paid by prompt token")
}

func TestEveryFaultMovesItsPhase(t *testing.T) {
	healthy := measure(t, requests(600))
	faulty := func(name string) medians {
		cfg := requests(600)
		require.NoError(t, cfg.Inject(name))
		return measure(t, cfg)
	}
	slowPreprocess := faulty("slow-preprocess")
	assert.Greater(t, slowPreprocess.preprocess, 10*healthy.preprocess)
	assert.InEpsilon(t, healthy.inference, slowPreprocess.inference, 0.2)

	noBatching := faulty("no-batching")
	assert.Greater(t, noBatching.queue, 100*healthy.queue)
	assert.LessOrEqual(t, noBatching.inference, healthy.inference)

	longPrompts := faulty("long-prompts")
	assert.Greater(t, longPrompts.firstToken, 3*healthy.firstToken)
	assert.Greater(t, longPrompts.inference, healthy.inference)

	slowGPU := faulty("slow-gpu")
	assert.Greater(t, slowGPU.inference, 2*healthy.inference)
	assert.InDelta(t, healthy.preprocess, slowGPU.preprocess, float64(time.Millisecond))

	overload := faulty("overload")
	assert.Greater(t, overload.queue, 100*healthy.queue)
	assert.Less(t, overload.inference, 2*healthy.inference)
}

func TestFaultsLeaveTheDrawsAlone(t *testing.T) {
	cfg := requests(100)
	before, _ := play(t, cfg)
	require.NoError(t, cfg.Inject("overload", "slow-gpu"))
	after, _ := play(t, cfg)
	byIndex := func(x, y Request) int { return x.Index - y.Index }
	slices.SortFunc(before, byIndex)
	slices.SortFunc(after, byIndex)
	for i := range before {
		assert.Equal(t, before[i].InputTokens, after[i].InputTokens)
		assert.Equal(t, before[i].fate, after[i].fate)
		assert.Equal(t, before[i].Model, after[i].Model)
	}
}
