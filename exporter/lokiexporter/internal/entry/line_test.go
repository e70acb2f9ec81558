package entry

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestBodies(t *testing.T) {
	for _, row := range []struct {
		body  any
		attrs map[string]any
		event string
		want  string
	}{
		{"text", nil, "", "text"},
		{"bad \xff\xfe text", nil, "", "bad \uFFFD text"},
		{nil, nil, "", ""},
		{"", nil, "", ""},
		{nil, map[string]any{"a": 1}, "ev", "ev"},
		{"", map[string]any{"a": 1}, "", `{"a":1}`},
		{map[string]any{"a": map[string]any{"b": []any{1, "x\n\"\\\x01\u2028é\xff"}}}, nil, "", `{"a":{"b":[1,"x\n\"\\\u0001` + "\u2028é\uFFFD" + `"]}}`},
		{map[string]any{}, nil, "", "{}"},
		{[]any{1.5, nil, true}, nil, "", "[1.5,null,true]"},
		{12, nil, "", "12"},
		{1e300, nil, "", "1e+300"},
		{false, nil, "", "false"},
		{[]byte("ab"), nil, "", "YWI="},
		{"<nil> & <b>", nil, "", "<nil> & <b>"},
	} {
		c := newConverter(t)
		line := lineOf(t, c.Convert(one(t, nil, row.attrs, func(rec plog.LogRecord) {
			require.NoError(t, rec.Body().FromRaw(row.body))
			rec.SetEventName(row.event)
		}), ""))
		assert.Equal(t, row.want, line)
	}
}

func TestFormats(t *testing.T) {
	resource := map[string]any{"service.name": "gw"}
	attrs := map[string]any{"http.route": "/v1", "m": map[string]any{"k x": "a b"}, "n": 7, "list": []any{"x"}}
	change := func(rec plog.LogRecord) {
		ids(rec)
		rec.Body().SetStr(`say "hi"`)
		rec.SetSeverityText("INFO")
		rec.SetEventName("ev")
		rec.SetFlags(1)
	}
	for _, row := range []struct{ format, template, want string }{
		{FormatBody, "", `say "hi"`},
		{FormatJSON, "", `{"name":"ev","body":"say \"hi\"","traceid":"01000000000000000000000000000000","spanid":"0200000000000000","severity":"INFO","flags":1,` +
			`"attributes":{"http.route":"/v1","list":["x"],"m":{"k x":"a b"},"n":7},"resources":{"service.name":"gw"},"instrumentation_scope":{"name":"lib","version":"1"}}`},
		{FormatLogfmt, "", `name=ev body="say \"hi\"" traceID=01000000000000000000000000000000 spanID=0200000000000000 severity=INFO flags=1 ` +
			`attribute_http.route=/v1 attribute_list="[\"x\"]" attribute_m_k_x="a b" attribute_n=7 resource_service.name=gw instrumentation_scope_name=lib instrumentation_scope_version=1`},
		{FormatTemplate, "{{.level}} {{ .severity }} {{.body}} t={{.trace_id}} s={{.span_id}} {{.event_name}} {{.scope_name}} {{.http.route}}|{{.none}}|" +
			"{{.service.name}} {{.resource.service.name}} {{.attributes.n}} {{.list}} {{.attributes.service.name}}}}", "info INFO say \"hi\" t=01000000000000000000000000000000 s=0200000000000000 ev lib /v1||gw gw 7 [\"x\"] }}"},
		{FormatRequest, "", `say "hi"`},
	} {
		c := newConverter(t, func(cfg *Config) { cfg.Format, cfg.Template = row.format, row.template })
		ld := one(t, resource, attrs, change)
		scope := ld.ResourceLogs().At(0).ScopeLogs().At(0).Scope()
		scope.SetName("lib")
		scope.SetVersion("1")
		line := lineOf(t, c.Convert(ld, ""))
		assert.Equal(t, row.want, line, row.format)
		if row.format == FormatJSON {
			assert.True(t, json.Valid([]byte(line)))
		}
	}
}

func TestRequestLine(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.Format = FormatRequest })
	line := func(attrs map[string]any) string {
		return lineOf(t, c.Convert(one(t, nil, attrs, body("request finished")), ""))
	}
	assert.Equal(t, `request_id=r1 model_name="my model" input_tokens=128 output_tokens=271 queue_time_ms=20.5 total_time_ms=2803.5 ttft_ms=100.25 outcome=error error_type=timeout`,
		line(map[string]any{
			"total_time_ms": 2803.5, "ttft_ms": 100.25, "queue_time_ms": 20.5, "input_tokens": 128, "output_tokens": 271, "request_id": "r1", "model_name": "my model",
			"status": "error", "error.type": "timeout", "http.route": "/v1",
		}))
	assert.Equal(t, "request finished", line(map[string]any{"request_id": "r1", "status": "ok"}), "a line about something else")
	assert.Equal(t, "request finished", line(nil))
}

func TestTemplateMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{{.body":            `{{ before ".body" is not closed`,
		"{{body}}":           `"body" is no field`,
		"{{}}":               `"" is no field`,
		"{{.}}":              `"." is no field`,
		"{{.a | upper}}":     "there are no functions",
		`{{printf "%s" .a}}`: `is no field`,
		"{{.resource.}}":     "resource. must be followed by",
	} {
		_, err := parseTemplate(text)
		require.ErrorContains(t, err, want, text)
	}
}
