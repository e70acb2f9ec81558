package instrument

import (
	"context"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/page"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// waits show a new series at zero for five scrapes, so that Prometheus knows it
// before its first value, also while examples are built beside it.
const waits = `
connectors:
  span_phase:
    flush_interval: 1s
    first_point_hold: 5s
    assembly:
      linger: 1s
`

// metric is what docs/metrics.md says of one.
type metric struct {
	Name, Prometheus, Type string
	Attributes             []string // besides those of all
	Bounds                 string
	Queries                []string
}

// manual is docs/metrics.md.
type manual struct {
	Metrics []metric
	Common  map[string]bool   // labels of all metrics
	Label   map[string]string // by attribute
	Values  map[string][]string
}

var (
	heading   = regexp.MustCompile("(?m)^## `(.+)`$")
	named     = regexp.MustCompile("(?m)^- Prometheus: `(.+)`$")
	typed     = regexp.MustCompile(`(?m)^- Type: (\w+), unit \S+$`)
	attrLine  = regexp.MustCompile(`(?m)^- Attributes: those of all metrics(.*)$`)
	bounds    = regexp.MustCompile(`(?m)^- Bounds: (.+)$`)
	query     = regexp.MustCompile("(?s)```promql\n(.*?)```")
	attribute = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)` \\| ([^|]+) \\|")
	word      = regexp.MustCompile("`([^`]+)`")
)

func readManual(t *testing.T) (m manual) {
	t.Helper()
	text := read(t, docs+"metrics.md")
	m.Common, m.Label, m.Values = map[string]bool{}, map[string]string{}, map[string][]string{}
	of := strings.Index(text, "## Attributes of some metrics")
	for _, a := range attribute.FindAllStringSubmatchIndex(text, -1) {
		key, label, values := text[a[2]:a[3]], text[a[4]:a[5]], text[a[6]:a[7]]
		m.Label[key], m.Values[label] = label, words(values)
		m.Common[label] = m.Common[label] || a[0] < of
	}
	starts := heading.FindAllStringSubmatchIndex(text, -1)
	for i, s := range starts {
		section := text[s[0]:]
		if i+1 < len(starts) {
			section = text[s[0]:starts[i+1][0]]
		}
		one := metric{
			Name: text[s[2]:s[3]], Prometheus: first(named, section), Type: first(typed, section),
			Attributes: words(first(attrLine, section)), Bounds: first(bounds, section),
		}
		for _, q := range query.FindAllStringSubmatch(section, -1) {
			one.Queries = append(one.Queries, q[1])
		}
		m.Metrics = append(m.Metrics, one)
	}
	require.NotEmpty(t, m.Metrics)
	require.NotEmpty(t, m.Label)
	return m
}

func first(pattern *regexp.Regexp, text string) string {
	if found := pattern.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}

func words(text string) (list []string) {
	for _, w := range word.FindAllStringSubmatch(text, -1) {
		list = append(list, w[1])
	}
	return list
}

// Scenario: a collector has seen both styles of the simulation and a retry, and Prometheus has scraped it.
// Guarantees: metrics and labels are those of docs/metrics.md, and each of its queries has an answer.
func TestMetricsPage(t *testing.T) {
	t.Parallel()
	m := readManual(t)
	c := collector.Start(t, waits)
	p := prometheus.Start(t, c.Page)
	awaitSum(t, p, "up", 1)
	requests := 1.0
	for _, style := range []string{"stages", "vllm"} {
		truth := simulate.Run(t, c.GRPC, "--requests", "300", "--style", style, "--error-rate", "0.1")
		for i := range truth.Models {
			requests += float64(truth.Models[i].RequestDuration.Count)
		}
	}
	require.NoError(t, otlpclient.GRPC(t, c.GRPC)(t.Context(), retryHeldBack()))
	awaitSum(t, p, "inference_request_duration_seconds_count", requests)
	t.Run("names", func(t *testing.T) { m.checkPage(t, page.Get(t, c.Page)) })
	t.Run("queries", func(t *testing.T) { m.checkQueries(t, p) })
}

func awaitSum(t *testing.T, p *prometheus.Prometheus, query string, want float64) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		assert.InDelta(c, want, sum(t.Context(), c, p, query), 0)
	}, patience, glance, query)
}

func sum(ctx context.Context, c *assert.CollectT, p *prometheus.Prometheus, query string) (total float64) {
	list, err := p.TryQuery(ctx, query, "")
	require.NoError(c, err)
	for _, s := range list {
		total += s.Value.Value
	}
	return total
}

// retryHeldBack is a request whose first call failed and whose second had its
// stream held back, of a model of the simulation.
func retryHeldBack() ptrace.Traces {
	td := ptrace.NewTraces()
	resource := td.ResourceSpans().AppendEmpty()
	resource.Resource().Attributes().PutStr("service.name", "retrying")
	spans := resource.ScopeSpans().AppendEmpty().Spans()
	begin := time.Now().Add(-time.Minute)
	at := func(seconds int) pcommon.Timestamp {
		return pcommon.NewTimestampFromTime(begin.Add(time.Duration(seconds) * time.Second))
	}
	add := func(id, parent byte, name string, from, to int) ptrace.Span {
		s := spans.AppendEmpty()
		s.SetTraceID([16]byte{1})
		s.SetSpanID([8]byte{id})
		s.SetParentSpanID([8]byte{parent})
		s.SetName(name)
		s.SetStartTimestamp(at(from))
		s.SetEndTimestamp(at(to))
		s.Attributes().PutStr("gen_ai.request.model", "qwen2.5-7b")
		return s
	}
	add(1, 0, "POST /generate", 0, 10).SetKind(ptrace.SpanKindServer)
	for i, ttft := range []float64{0, 4.9} {
		client := add(byte(2+i), 1, "chat", 5*i, 5*i+5)
		client.SetKind(ptrace.SpanKindClient)
		client.Attributes().PutStr("gen_ai.operation.name", "chat")
		if i == 0 {
			client.Status().SetCode(ptrace.StatusCodeError)
			continue
		}
		client.Attributes().PutDouble("gen_ai.response.time_to_first_chunk", ttft)
		first := add(4, 3, "inference", 5, 10).Events().AppendEmpty()
		first.SetName("first_token")
		first.SetTimestamp(at(6))
	}
	return td
}

// checkPage compares in both directions, but for labels that this traffic does
// not bring.
func (m *manual) checkPage(t *testing.T, p page.Page) {
	t.Helper()
	var names []string
	for i := range m.Metrics {
		one := &m.Metrics[i]
		names = append(names, one.Prometheus)
		family := p[one.Prometheus]
		if !assert.NotNil(t, family, one.Prometheus) {
			continue
		}
		assert.Equal(t, one.Type, strings.ToLower(family.GetType().String()), one.Name)
		own := map[string]bool{}
		for _, key := range one.Attributes {
			own[m.Label[key]] = false
		}
		for _, s := range family.GetMetric() {
			m.checkLabels(t, one, own, page.LabelsOf(s))
			assert.Equal(t, one.Bounds, boundsOf(s), one.Name)
		}
		for label, seen := range own {
			assert.True(t, seen, "%s has no label %s", one.Name, label)
		}
	}
	slices.Sort(names)
	ours := slices.DeleteFunc(slices.Sorted(maps.Keys(p)), func(name string) bool {
		return strings.HasPrefix(name, "system_") || strings.HasPrefix(name, "process_") // the host's
	})
	assert.Equal(t, names, ours)
}

func (m *manual) checkLabels(t *testing.T, one *metric, own map[string]bool, labels page.Labels) {
	t.Helper()
	for label, value := range labels {
		if _, ok := own[label]; ok {
			own[label] = true
		} else {
			assert.True(t, m.Common[label], "%s of %s", label, one.Name)
		}
		if closed := m.Values[label]; len(closed) > 0 {
			assert.Contains(t, closed, value, "%s of %s", label, one.Name)
		}
	}
}

// boundsOf returns the bounds of a histogram as the page writes them, "" of a counter.
func boundsOf(m *dto.Metric) string {
	var list []string
	for _, b := range m.GetHistogram().GetBucket() {
		if !math.IsInf(b.GetUpperBound(), 1) {
			list = append(list, strconv.FormatFloat(b.GetUpperBound(), 'f', -1, 64))
		}
	}
	return strings.Join(list, ", ")
}

func (m *manual) checkQueries(t *testing.T, p *prometheus.Prometheus) {
	t.Helper()
	for i := range m.Metrics {
		one := &m.Metrics[i]
		assert.NotEmpty(t, one.Queries, one.Name)
		for _, q := range one.Queries {
			list := p.Query(t, q, "")
			assert.NotEmpty(t, list, q)
			positive := slices.ContainsFunc(list, func(s prometheus.Series) bool {
				return s.Value.Value > 0 && !math.IsInf(s.Value.Value, 0)
			})
			assert.True(t, positive, "%s\n%v", q, list)
		}
	}
}
