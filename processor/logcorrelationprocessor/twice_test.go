package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/processor/processortest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// Scenario: a record that an agent has joined comes to a gateway.
// Guarantees: one that does not know its trace neither holds it nor calls it unmatched, and one
// that knows more about sampling says so.
func TestJoinedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		joined := func() plog.Logs {
			ld := plog.NewLogs()
			rec := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			rec.SetTraceID(pcommon.TraceID{0: 0xca, 15: 1})
			rec.Attributes().PutStr(attrState, "joined")
			rec.Attributes().PutStr(attrSampled, "unknown")
			return ld
		}
		attr := func(key string) string {
			all := r.out.all()
			v, _ := all[len(all)-1].Attributes().Get(key)
			return v.AsString()
		}
		r.log(joined())
		require.Len(t, r.out.all(), 1, "it does not wait")
		assert.Equal(t, "joined", attr(attrState))

		r.send(casetest.Trace(1, nil, casetest.Stages("qwen3-8b")...))
		samplersFor(r.set.ID).Add(1)
		defer samplersFor(r.set.ID).Add(-1)
		found, _ := byID.Load(r.set.ID)
		found.(*correlator).core.Sample(time.Now(), [][16]byte{{0: 0xca, 15: 1}})
		after(r.cfg.Linger)
		r.log(joined())
		require.Len(t, r.out.all(), 2)
		assert.Equal(t, "joined", attr(attrState))
		assert.Equal(t, "true", attr(attrSampled))
		r.close()
	})
}

// Scenario: only the logs pipeline has the processor, or the wait is too short for sampling.
// Guarantees: a person is told, once, and only then.
func TestLikelyMistakes(t *testing.T) {
	for name, test := range map[string]struct {
		traces, sampler bool
		wait            time.Duration
		want            string
	}{
		"fine":           {true, true, time.Minute, ""},
		"no traces":      {false, false, time.Minute, "No traces pipeline has this processor"},
		"too short":      {true, true, 15 * time.Second, "wait_for_sampled: wait is not above sampled_after"},
		"nothing behind": {true, false, 15 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, logs := observer.New(zap.WarnLevel)
				cfg := createDefaultConfig().(*Config)
				cfg.WaitForSampled, cfg.Wait = true, test.wait
				set := processortest.NewNopSettings(metadata.Type)
				set.Logger = zap.New(core)
				if test.sampler {
					samplersFor(set.ID).Add(1)
					defer samplersFor(set.ID).Add(-1)
				}
				f := NewFactory()
				join, err := f.CreateLogs(t.Context(), set, cfg, consumertest.NewNop())
				require.NoError(t, err)
				require.NoError(t, join.Start(t.Context(), componenttest.NewNopHost()))
				if test.traces {
					tap, err := f.CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
					require.NoError(t, err)
					require.NoError(t, tap.Start(t.Context(), componenttest.NewNopHost()))
					defer func() { assert.NoError(t, tap.Shutdown(t.Context())) }()
				}
				time.Sleep(10 * startup)
				require.NoError(t, join.Shutdown(t.Context()))
				if test.want == "" {
					assert.Zero(t, logs.Len())
					return
				}
				require.Equal(t, 1, logs.Len())
				assert.Contains(t, logs.All()[0].Message, test.want)
			})
		})
	}
}

// Scenario: a tap behind a sampler that is for a processor that runs, or for none.
// Guarantees: only of the latter a person is told, and not after it has stopped.
func TestSampledForNobody(t *testing.T) {
	for name, test := range map[string]struct {
		id    component.ID
		after time.Duration
		want  int
	}{
		"one":     {component.NewID(metadata.Type), 10 * startup, 0},
		"none":    {component.NewIDWithName(metadata.Type, "typo"), 10 * startup, 1},
		"stopped": {component.NewIDWithName(metadata.Type, "typo"), startup / 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				newRig(t)
				core, logs := observer.New(zap.WarnLevel)
				set := processortest.NewNopSettings(metadata.Type)
				set.ID, set.Logger = component.NewIDWithName(metadata.Type, "sampled"), zap.New(core)
				cfg := createDefaultConfig().(*Config)
				cfg.SampledFor = test.id
				tap, err := NewFactory().CreateTraces(t.Context(), set, cfg, consumertest.NewNop())
				require.NoError(t, err)
				require.NoError(t, tap.Start(t.Context(), componenttest.NewNopHost()))
				time.Sleep(test.after)
				require.NoError(t, tap.Shutdown(t.Context()))
				time.Sleep(10 * startup)
				assert.Equal(t, test.want, logs.Len())
			})
		})
	}
}
