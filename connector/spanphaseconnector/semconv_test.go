package spanphaseconnector

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// sdkAndEngine is a request that an SDK makes to an engine: what the SDK says of it, and how it ends.
func sdkAndEngine(id byte, attrs map[string]any, failed string) ptrace.Traces {
	client := map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 21,
	}
	maps.Copy(client, attrs)
	return casetest.Trace(id, engine,
		casetest.Span{ID: 1, Name: "POST", Kind: ptrace.SpanKindServer, End: time.Second, Attrs: map[string]any{"server.address": "front", "tenant": "a"}},
		casetest.Span{ID: 2, Parent: 1, Name: "chat m", Kind: ptrace.SpanKindClient, End: 900 * time.Millisecond, Attrs: client, Error: failed},
		casetest.Span{ID: 3, Parent: 2, Name: "llm_request", Kind: ptrace.SpanKindServer, End: 270 * time.Millisecond, Attrs: casetest.VLLM()},
	)
}

// Scenario: calls of an SDK to an engine, one of them failed, with all attributes and with few.
// Guarantees: the metrics of the conventions with the attributes that they ask for, no others of the model; off
// by default.
func TestSemconvMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.SemconvMetrics = true
			cfg.Dimensions = []DimensionConfig{{Name: "tenant"}}
		})
		r.send(t, sdkAndEngine(1, map[string]any{
			"gen_ai.provider.name": "openai", "gen_ai.response.model": "m-1", "server.address": "api", "server.port": 443,
		}, ""))
		r.send(t, sdkAndEngine(2, nil, "failed"))
		r.stop(t)
		attributes := func(name string) (all []map[string]any) {
			for _, p := range points(r.last(t), name) {
				require.EqualValues(t, p.Count(), p.Exemplars().Len())
				own := p.Attributes().AsRaw()
				delete(own, inference.AttrInstanceID)
				own["count"] = p.Count()
				all = append(all, own)
			}
			return all
		}
		common := func(more map[string]any) map[string]any {
			m := map[string]any{"service.name": "engine", "tenant": "a", "count": uint64(1)}
			maps.Copy(m, more)
			return m
		}
		whole := map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "m", "gen_ai.response.model": "m-1",
			"server.address": "api", "server.port": int64(443),
		}
		few := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.provider.name": "gen_ai", "gen_ai.request.model": "m", "error.type": "_OTHER"}
		assert.ElementsMatch(t, []map[string]any{common(whole), common(few)}, attributes("gen_ai.client.operation.duration"))
		served := func(model string) map[string]any { // that the engine's span does not name
			return common(map[string]any{"gen_ai.operation.name": "_OTHER", "gen_ai.provider.name": "vllm", "gen_ai.request.model": model})
		}
		for _, name := range []string{"gen_ai.server.request.duration", "gen_ai.server.time_to_first_token", "gen_ai.server.time_per_output_token"} {
			assert.ElementsMatch(t, []map[string]any{served("m"), served("m-1")}, attributes(name), name)
		}
		count, sum := 0, 0.0
		for _, p := range points(r.last(t), "gen_ai.client.token.usage") {
			count += int(p.Count())
			sum += p.Sum()
		}
		assert.Equal(t, 4, count)
		assert.InDelta(t, 242, sum, 0)
		assert.Len(t, points(r.last(t), callDuration), 4, "beside the others")
	})
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		r.send(t, sdkAndEngine(1, nil, ""))
		r.stop(t)
		assert.Empty(t, points(r.last(t), "gen_ai.client.operation.duration"))
	})
}

// Scenario: clients name a hundred servers.
// Guarantees: fifty of them and "other", which is counted.
func TestSemconvLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) { cfg.SemconvMetrics = true })
		for i := range byte(100) {
			r.send(t, sdkAndEngine(i, map[string]any{"server.address": fmt.Sprint("host-", i), "server.port": 443}, ""))
		}
		time.Sleep(time.Minute)
		hosts := r.valuesOf(t, "gen_ai.client.operation.duration", "server.address")
		assert.Len(t, hosts, semconvValues+1)
		assert.EqualValues(t, 50, hosts["other"])
		assert.Positive(t, r.value(t, "limited_observations", "max_values"))
		r.stop(t)
	})
}
