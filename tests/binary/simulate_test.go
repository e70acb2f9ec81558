package binary

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

const (
	requests = 400
	seed     = 7
)

// Scenario: a service that uses the OpenTelemetry SDK, twice the same: spans as they end,
// and each span of a request in an export of its own, children first, shuffled.
// Guarantees: exactly the counts that were sent, quantiles in the right bucket, both times the same.
func TestSDK(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"grpc", "http"} {
		for _, style := range []string{"stages", "vllm"} {
			t.Run(protocol+"/"+style, func(t *testing.T) {
				t.Parallel()
				c := collector.Start(t, collector.ShortWaits)
				endpoint := map[string]string{"grpc": c.GRPC, "http": c.HTTP}[protocol]
				run := func(environment string, args ...string) simulate.Truth {
					return simulate.Run(t, endpoint, append(args, "--protocol", protocol, "--style", style,
						"--requests", strconv.Itoa(requests), "--seed", strconv.Itoa(seed), "--environment", environment)...)
				}
				plain, scattered := run("plain"), run("scattered", "--scatter")
				require.Equal(t, requests, plain.Requests)
				require.Equal(t, plain.Models, scattered.Models, "the same seed is the same truth")
				awaitClosed(t, c, requests)

				inPlain := page.Labels{"deployment_environment_name": "plain"}
				inScattered := page.Labels{"deployment_environment_name": "scattered"}
				eventually(t, func(ct *assert.CollectT) {
					p, err := page.Fetch(t.Context(), c.Page)
					require.NoError(ct, err)
					for _, environment := range []page.Labels{inPlain, inScattered} {
						assert.Equal(ct, seenRequests(&plain), p.Histogram(requestDuration, environment).Count)
					}
				})
				p := page.Get(t, c.Page)
				checkTruth(t, p, &plain, inPlain)
				checkTruth(t, p, &scattered, inScattered)
				assert.Equal(t, buckets(p, inPlain), buckets(p, inScattered), "scattered spans give other numbers")
			})
		}
	}
}

// seenRequests is the number of requests that an observer can tell.
func seenRequests(truth *simulate.Truth) (n uint64) {
	for i := range truth.Models {
		n += truth.Models[i].RequestDuration.Count
	}
	return n
}

// checkTruth compares everything on the page with the truth, series by series.
func checkTruth(t *testing.T, p page.Page, truth *simulate.Truth, where page.Labels) {
	t.Helper()
	totals := map[string]uint64{}
	check := func(metric string, labels page.Labels, want simulate.Summary) {
		t.Helper()
		checkSummary(t, p, metric, labels, want)
		totals[metric] += want.Count
	}
	for i := range truth.Models {
		m := &truth.Models[i]
		model := with(where, page.Labels{"inference_model_name": m.Name, "inference_model_version": m.Version})
		server := with(model, page.Labels{"inference_role": "server"})
		check(requestDuration, model, m.RequestDuration)
		check(requestTTFT, model, m.RequestTTFT)
		check(callDuration, server, m.CallDuration)
		check(callTTFT, server, m.CallTTFT)
		check(callTPOT, server, m.TPOT)
		for name, want := range m.Phases {
			check(phaseDuration, with(server, page.Labels{"inference_phase": name}), want)
		}
		for name, want := range m.Subphases {
			check(subphase, with(model, page.Labels{"inference_subphase": name}), want)
		}
		for kind, want := range map[string]int{"input": m.InputTokens, "output": m.OutputTokens} {
			h := p.Histogram(tokenUsage, with(model, page.Labels{"gen_ai_token_type": kind}))
			assert.InDelta(t, want, h.Sum, 0, "%s tokens of %s", kind, m.Name)
		}
		if truth.Style == "stages" { // in the other a request without call is no request to an observer
			for outcome, want := range m.Outcomes {
				h := p.Histogram(requestDuration, with(model, page.Labels{"inference_outcome": outcome}))
				assert.Equal(t, uint64(want), h.Count, "requests to %s with outcome %s", m.Name, outcome)
			}
		}
		for reason, want := range m.FinishReasons {
			got := p.Value(finished, with(model, page.Labels{"inference_finish_reason": reason}))
			assert.InDelta(t, want, got, 0, "%s finished with %s", m.Name, reason)
		}
	}
	// Nothing but what was sent. Phase other is arithmetic of the connector: no span says it.
	other := p.Histogram(phaseDuration, with(where, page.Labels{"inference_phase": "other"}))
	totals[phaseDuration] += other.Count
	for metric, want := range totals {
		assert.Equal(t, want, p.Histogram(metric, where).Count, "all of %s", metric)
	}
}

// checkSummary compares one measure: its count, its sum, and the buckets in
// which its quantiles lie.
func checkSummary(t *testing.T, p page.Page, metric string, where page.Labels, want simulate.Summary) {
	t.Helper()
	h := p.Histogram(metric, where)
	name := fmt.Sprintf("%s%v", metric, where)
	if !assert.Equal(t, want.Count, h.Count, "count of %s", name) || want.Count == 0 {
		return
	}
	assert.InEpsilon(t, want.Sum, h.Sum, 1e-6, "sum of %s", name)
	for q, value := range map[float64]float64{0.50: want.P50, 0.95: want.P95, 0.99: want.P99} {
		// A value that is a bound, give or take a rounding, may be on either side of it.
		const rounding = 1e-9
		low, high := h.Quantile(q)
		assert.True(t, low-rounding <= value && value <= high+rounding,
			"quantile %v of %s is in (%v, %v], the truth is %v", q, name, low, high, value)
	}
}

// buckets returns the histograms with the labels, without the labels that tell
// one run from another.
func buckets(p page.Page, where page.Labels) map[string][]uint64 {
	all := map[string][]uint64{}
	for name := range p {
		for _, m := range p.Series(name, where) {
			labels := page.LabelsOf(m)
			h := p.Histogram(name, labels)
			maps.DeleteFunc(labels, func(label, _ string) bool { return where[label] != "" })
			all[fmt.Sprint(name, labels)] = slices.Clone(h.Buckets)
		}
	}
	return all
}

// with returns the labels of both.
func with(a, b page.Labels) page.Labels {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}
