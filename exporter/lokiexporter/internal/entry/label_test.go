package entry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestDefaultLabels(t *testing.T) {
	c := newConverter(t)
	list := c.Convert(one(t, map[string]any{
		"service.name": "gateway", "service.namespace": "llm", "deployment.environment": "old", "deployment.environment.name": "prod",
		"k8s.cluster.name": "c", "k8s.namespace.name": "n", "k8s.container.name": "vllm", "k8s.pod.name": "vllm-0", "service.instance.id": "i",
	}, map[string]any{"model_name": "llama", "request_id": "r"}, func(rec plog.LogRecord) { rec.SetSeverityNumber(plog.SeverityNumberWarn3) }), "")
	assert.Equal(t, `{deployment_environment_name="prod", k8s_cluster_name="c", k8s_container_name="vllm", k8s_namespace_name="n", level="warn", `+
		`model_name="llama", service_name="gateway", service_namespace="llm"}`, list[0].Streams[0].Labels)
	for _, pair := range []string{"severity_number=15", "request_id=r", "k8s_pod_name=vllm-0", "service_instance_id=i", "deployment_environment=old"} {
		assert.Contains(t, strings.Fields(metadataOf(t, list)), pair)
	}
	assert.NotContains(t, metadataOf(t, list), "llama")

	list = c.Convert(one(t, map[string]any{"service.name": 7, "deployment.environment": "old"}, nil), "")
	assert.Equal(t, `{deployment_environment_name="old", service_name="7"}`, list[0].Streams[0].Labels)
}

func TestLabelSources(t *testing.T) {
	for _, row := range []struct {
		label Label
		want  string
	}{
		{Label{Name: "x", Attribute: "a.b", Resource: "r.x"}, `{service_name="unknown_service", x="1"} r_x=2`},
		{Label{Attribute: "a.b"}, `{a_b="1", service_name="unknown_service"} r_x=2`},
		{Label{Attribute: "none", Resource: "r.x", Name: "1.x"}, `{key_1_x="2", service_name="unknown_service"} a_b=1`},
		{Label{Attribute: "none", Default: "d"}, `{none="d", service_name="unknown_service"} a_b=1 r_x=2`},
		{Label{Name: "cluster", Default: "d"}, `{cluster="d", service_name="unknown_service"} a_b=1 r_x=2`},
		{Label{Attribute: "none"}, `{service_name="unknown_service"} a_b=1 r_x=2`},
		{Label{Name: "none", Attribute: "a.b", Force: true}, `{none="1", service_name="unknown_service"} r_x=2`},
		{Label{Name: "event", Field: "event_name", Force: true}, `{event="e", service_name="unknown_service"} event_name=e a_b=1 r_x=2`},
	} {
		c := newConverter(t, func(cfg *Config) {
			cfg.Labels = []Label{row.label, {Name: "service_name", Resource: "service.name", Default: "unknown_service"}}
		})
		list := c.Convert(one(t, map[string]any{"r.x": 2}, map[string]any{"a.b": "1"}, func(rec plog.LogRecord) {
			if row.label.Field != "" {
				rec.SetEventName("e")
			}
		}), "")
		assert.Equal(t, row.want, list[0].Streams[0].Labels+" "+metadataOf(t, list))
	}
}

func TestRefusedLabels(t *testing.T) {
	for _, name := range []string{
		"trace_id", "traceId", "span.id", "request_id", "x-request-id", "litellm_call_id", "session.id", "k8s.pod.uid", "k8s.pod.name", "service.instance.id",
		"total_time_ms", "duration", "http.server.duration", "queue_seconds", "input_tokens", "gen_ai.usage.input_tokens", "ttft",
		"user", "user.id", "userName", "enduser.id", "client.address", "prompt", "gen_ai.prompt", "body", "message", "url", "url.full", "http.url",
		"http.target", "exception.stacktrace", "exception.message", "error", "host.ip", "net.peer.port", "timestamp",
	} {
		err := (&Config{Labels: []Label{{Attribute: name}}}).Check()
		require.ErrorContains(t, err, fmt.Sprintf("labels::0: %q ", name))
		require.ErrorContains(t, err, "or set force: true")
		assert.Empty(t, validateLabels([]Label{{Attribute: name, Force: true}}))
		assert.NotEmpty(t, validateLabels([]Label{{Resource: name, Name: "x"}}), "another name does not make it better")
	}
	for _, name := range []string{
		"service.name", "k8s.deployment.name", "cloud.region", "host.name", "http.route", "http.response.status_code", "error.type", "model_version",
		"gen_ai.request.model", "gen_ai.provider.name", "engine", "outcome", "finish_reason", "slowest_phase", "trace.sampled", "correlation.state", "team", "job",
	} {
		assert.Empty(t, validateLabels([]Label{{Attribute: name}}), name)
	}
}

func TestLabelsBecomeOther(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxLabelValues = 2 })
	var got []string
	for _, model := range []string{"a", "b", "c", "a", "d"} {
		list := c.Convert(one(t, nil, map[string]any{"model_name": model}), "")
		got = append(got, list[0].Streams[0].Labels+metadataOf(t, list))
	}
	assert.Equal(t, []string{
		`{model_name="a", service_name="unknown_service"}`, `{model_name="b", service_name="unknown_service"}`,
		`{model_name="other", service_name="unknown_service"}model_name_original=c`, `{model_name="a", service_name="unknown_service"}`,
		`{model_name="other", service_name="unknown_service"}model_name_original=d`,
	}, got)
	assert.EqualValues(t, 2, c.Stats().ValueOverflow.Load())
	assert.EqualValues(t, 3, c.Stats().ActiveStreams.Load())
}

func TestStreamsAreBounded(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxStreams = 20 })
	labels := map[string]bool{}
	for i := range 400 {
		list := c.Convert(one(t, map[string]any{"service.name": fmt.Sprint("s", i/20)}, map[string]any{"model_name": fmt.Sprint("m", i%40)}), "")
		labels[list[0].Streams[0].Labels] = true
	}
	assert.LessOrEqual(t, len(labels), 20)
	assert.EqualValues(t, 20, c.Stats().ActiveStreams.Load())
	assert.True(t, labels[`{model_name="other", service_name="s0"}`], "the label of most values goes first")
	assert.True(t, labels[`{deployment_environment_name="other", k8s_cluster_name="other", k8s_container_name="other", k8s_namespace_name="other", `+
		`level="other", model_name="other", service_name="other", service_namespace="other"}`])
	assert.EqualValues(t, 400-18, c.Stats().StreamOverflow.Load())

	c = newConverter(t, func(cfg *Config) { cfg.MaxStreams = 1 })
	for i := range 3 {
		c.Convert(one(t, nil, map[string]any{"model_name": fmt.Sprint("m", i)}), "")
	}
	assert.EqualValues(t, 1, c.Stats().ActiveStreams.Load())
}

func TestActiveExpires(t *testing.T) {
	moment := now
	cfg := DefaultConfig()
	cfg.MaxLabelValues, cfg.MaxStreams, cfg.StreamTTL = 1, 2, time.Minute
	cfg.Tenant = Tenant{Attribute: "team", MaxTenants: 1}
	c, err := New(cfg, func() time.Time { return moment })
	require.NoError(t, err)
	stream := func(model string) string {
		return strings.Split(told(c.Convert(one(t, nil, map[string]any{"model_name": model, "team": model}, ago(-moment.Sub(now))), "")), "}")[0]
	}
	assert.Equal(t, `<a> {model_name="a", service_name="unknown_service"`, stream("a"))
	assert.NotContains(t, stream("b"), "<b>")
	moment = moment.Add(2 * time.Minute)
	assert.Equal(t, `<b> {model_name="b", service_name="unknown_service"`, stream("b"))
	moment = moment.Add(2 * time.Minute)
	c.Sweep()
	assert.Zero(t, c.Stats().ActiveStreams.Load())
	assert.Zero(t, c.Stats().ActiveTenants.Load())
}

func TestLevels(t *testing.T) {
	for _, row := range []struct {
		number plog.SeverityNumber
		text   string
		want   string
	}{
		{0, "", ""},
		{1, "", "trace"},
		{4, "", "trace"},
		{5, "x", "debug"},
		{9, "ERROR", "info"},
		{13, "", "warn"},
		{17, "", "error"},
		{24, "", "fatal"},
		{25, "", ""},
		{-1, "info", "info"},
		{0, "WARNING", "warn"},
		{0, "Error", "error"},
		{0, "CRITICAL", "fatal"},
		{0, "request 1", ""},
	} {
		rec := plog.NewLogRecord()
		rec.SetSeverityNumber(row.number)
		rec.SetSeverityText(row.text)
		assert.Equal(t, row.want, levelOf(rec), "%v %v", row.number, row.text)
	}
}
