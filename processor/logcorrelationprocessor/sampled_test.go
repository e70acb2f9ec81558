package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// behindSampler starts a tap that tells the rig's processor what a sampler has kept.
func behindSampler(t *testing.T, set processor.Settings, next consumer.Traces) processor.Traces {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.SampledFor = component.NewID(metadata.Type)
	require.NoError(t, cfg.Validate())
	set.ID = component.NewIDWithName(metadata.Type, "sampled")
	tap, err := NewFactory().CreateTraces(t.Context(), set, cfg, next)
	require.NoError(t, err)
	require.NoError(t, tap.Start(t.Context(), componenttest.NewNopHost()))
	return tap
}

func readOnly(td ptrace.Traces) ptrace.Traces {
	td.MarkReadOnly()
	return td
}

// Scenario: a sampler keeps trace 1, drops 2, and has not decided on 3.
// Guarantees: records say so, from the time at which it is known.
func TestSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		kept := &consumertest.TracesSink{}
		tap := behindSampler(t, r.set, kept)
		r.send(calls(1, 3))
		r.log(batch("engine", about(1)))
		time.Sleep(30 * time.Second)
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(1))))
		r.log(batch("engine", about(1), about(2)))
		time.Sleep(r.cfg.SampledAfter)
		r.send(call(3))
		r.log(batch("engine", about(1), about(2), about(3)))
		assert.Equal(t, []string{"unknown", "true", "unknown", "true", "false", "unknown"}, sampled(r))
		assert.Equal(t, 1, kept.SpanCount(), "the spans went on")
		require.NoError(t, tap.Shutdown(t.Context()))
		require.NoError(t, tap.Shutdown(t.Context()))
		assert.Zero(t, samplersFor(r.set.ID).Load())
	})
}

func sampled(r *rig) (all []string) {
	for _, rec := range r.out.all() {
		all = append(all, attr(rec, attrSampled))
	}
	return all
}

// Scenario: no tap behind a sampler is configured, or it has been shut down.
// Guarantees: nobody guesses: it is unknown for ever, and wait_for_sampled holds nothing.
func TestSampledUnknown(t *testing.T) {
	for name, before := range map[string]func(*rig){
		"none": func(*rig) {},
		"gone": func(r *rig) {
			require.NoError(r.t, behindSampler(r.t, r.set, &consumertest.TracesSink{}).Shutdown(r.t.Context()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) { cfg.WaitForSampled = true })
				before(r)
				r.send(call(1))
				r.log(batch("engine", about(1)))
				time.Sleep(2 * r.cfg.SampledAfter)
				r.log(batch("engine", about(1)))
				assert.Equal(t, []string{"unknown", "unknown"}, sampled(r))
			})
		})
	}
}

// Scenario: records wait for the decision: of a kept trace, of a dropped one, and for longer than
// they may.
// Guarantees: they leave when it is known, or at their deadline with unknown, joined all the same.
func TestWaitForSampled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.WaitForSampled, cfg.SampledAfter = true, 10*time.Second
			cfg.Hold = []HoldRule{{Services: []string{"hasty"}, Hold: true, Wait: time.Second}}
		})
		tap := behindSampler(t, r.set, &consumertest.TracesSink{})
		r.send(calls(1, 3))
		r.log(batch("engine", about(1), about(2)))
		r.log(batch("hasty", about(1)))
		require.Empty(t, r.out.all())
		after(time.Second)
		assert.Equal(t, []string{"unknown"}, sampled(r))
		time.Sleep(3 * time.Second)
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(1))))
		time.Sleep(time.Millisecond)
		assert.Equal(t, []string{"unknown", "true"}, sampled(r))
		after(6 * time.Second)
		assert.Equal(t, []string{"unknown", "true", "false"}, sampled(r))
		assert.Equal(t, map[string]int{"joined": 3}, states(r.out.all()))
		require.NoError(t, tap.Shutdown(t.Context()))
	})
}

// Scenario: the tap behind the sampler starts before the processor that it tells, as the
// collector may do, and outlives it.
// Guarantees: nothing is missed, and nothing breaks.
func TestSampledTapStartsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newRig(t)
		first.stop()
		set := first.set
		tap := behindSampler(t, set, &consumertest.TracesSink{})
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(1))), "nobody to tell")
		r := newRig(t)
		r.send(call(2))
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(2))))
		r.log(batch("engine", about(2)))
		assert.Equal(t, []string{"true"}, sampled(r))
		r.close()
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(2))))
		require.NoError(t, tap.Shutdown(t.Context()))
	})
}

// Scenario: the sampler passes a trace on at once, before the tap in front has been told by a
// slower branch.
// Guarantees: nothing breaks; the trace counts as not yet decided.
func TestSampledBeforeItIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		tap := behindSampler(t, r.set, &consumertest.TracesSink{})
		require.NoError(t, tap.ConsumeTraces(t.Context(), readOnly(call(1))))
		r.send(call(1))
		r.log(batch("engine", about(1)))
		assert.Equal(t, []string{"unknown"}, sampled(r))
		require.NoError(t, tap.Shutdown(t.Context()))
	})
}
