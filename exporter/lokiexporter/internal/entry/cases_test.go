package entry

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

// TestNoLabels is about records without resource attributes: each has a stream that Loki takes.
func TestNoLabels(t *testing.T) {
	c := newConverter(t)
	assert.Equal(t, `{level="info", service_name="unknown_service"} -4.999s "no resource" severity_number="9" severity_text="INFO" observed_timestamp="1768471200006000000"
{level="info", service_name="unknown_service"} -4.998s "{\"msg\":\"structured\",\"n\":1}" severity_number="9" key_1k8s_pod_name="x"
{level="info", service_name="unknown_service"} -4.997s "" severity_number="9"
{level="info", service_name="engine", service_namespace="llm"} -4.996s "ok" severity_number="9" severity_text="INFO" observed_timestamp="1768471200009000000" scope_name="acceptance"
`, told(c.Convert(readLogs(t, "no_labels.json"), "")))
}

// TestNoLabelsAtAll is the same where nothing has a default.
func TestNoLabelsAtAll(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.Labels = []Label{{Attribute: "team"}} })
	assert.Equal(t, `{service_name="unknown_service"} -4.999s "no resource" severity_number="9" severity_text="INFO" observed_timestamp="1768471200006000000"
{service_name="unknown_service"} -4.998s "{\"msg\":\"structured\",\"n\":1}" severity_number="9" key_1k8s_pod_name="x"
{service_name="unknown_service"} -4.997s "" severity_number="9"
{service_name="unknown_service"} -4.996s "ok" severity_number="9" severity_text="INFO" observed_timestamp="1768471200009000000" scope_name="acceptance" service_name_resource="engine" service_namespace="llm"
`, told(c.Convert(readLogs(t, "no_labels.json"), "")))
	assert.EqualValues(t, 4, c.Stats().Unlabelled.Load())
}

// TestShuffled is about order: streams as they come, entries by time, equal ones as they come.
func TestShuffled(t *testing.T) {
	c := newConverter(t)
	ld := plog.NewLogs()
	for i, second := range []int{3, 1, 1, 2, 1} {
		one(t, map[string]any{"service.name": "a"}, nil, body(string(rune('a'+i))), at(second)).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
	assert.Equal(t, `{service_name="a"} -4s "b"
{service_name="a"} -3.999999999s "c"
{service_name="a"} -3.999999998s "e"
{service_name="a"} -3s "d"
{service_name="a"} -2s "a"
`, told(c.Convert(ld, "")))
	assert.EqualValues(t, 2, c.Stats().Moved.Load())

	c = newConverter(t, func(cfg *Config) { cfg.Timestamps.Distinct = false })
	assert.Equal(t, `{service_name="a"} -4s "b"
{service_name="a"} -4s "c"
{service_name="a"} -4s "e"
{service_name="a"} -3s "d"
{service_name="a"} -2s "a"
`, told(c.Convert(ld, "")))
}

// TestNothing is about batches that Loki would refuse for being empty.
func TestNothing(t *testing.T) {
	c := newConverter(t)
	ld := plog.NewLogs()
	assert.Empty(t, c.Convert(ld, ""))
	ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty()
	assert.Empty(t, c.Convert(ld, ""))
}

// TestNamesThatMeet is about names that are one after sanitising, and such that are none.
func TestNamesThatMeet(t *testing.T) {
	for _, row := range []struct {
		resource, attrs map[string]any
		want            string
	}{
		{nil, map[string]any{"a.b": "1", "a_b": "1", "a-b": "1"}, "a_b=1"},
		{nil, map[string]any{"a.b": "1", "a_b": "2", "a-b": "3"}, "a_b=3 a_b_attribute=1 a_b_attribute_2=2"},
		{map[string]any{"a.b": "2"}, map[string]any{"a.b": "1"}, "a_b=1 a_b_resource=2"},
		{map[string]any{"a.b": "1"}, map[string]any{"a.b": "1"}, "a_b=1"},
		{nil, map[string]any{"模型": "x", "___": "y", "": "z"}, "attr_811c9dc5=z attr_045a3b34=y attr_c7a28aea=x"},
		{nil, map[string]any{"模型a": "x"}, "_a=x"},
		{nil, map[string]any{"1a": "x", "__error__": "y", "a__b": "z"}, "key_1a=x _error_=y a_b=z"},
		{nil, map[string]any{"model_": "x", "model-": "y"}, "model_=y model_attribute=x"},
		{nil, map[string]any{"e": "", "n": nil}, ""},
		{nil, map[string]any{"m": map[string]any{"x": map[string]any{"y": 1}}, "m.x.y": "2"}, "m_x_y=1 m_x_y_attribute=2"},
		{nil, map[string]any{"l": []any{1, "a", true, 1.5, nil}, "d": 0.25, "i": -7, "b": true}, `b=true d=0.25 i=-7 l=[1,"a",true,1.5,null]`},
		{nil, map[string]any{"x": []byte{1, 2}}, "x=AQI="},
		{nil, map[string]any{"bad": "a\xffb"}, "bad=a\uFFFDb"},
		{nil, map[string]any{"service_name": "x"}, "service_name_attribute=x"},
		{map[string]any{"service.name": "x", "service_name": "y"}, nil, "service_name_resource=y"},
		{map[string]any{"model_name": "r"}, map[string]any{"model_name": "m"}, "model_name_resource=r"},
	} {
		c := newConverter(t)
		assert.Equal(t, row.want, metadataOf(t, c.Convert(one(t, row.resource, row.attrs), "")), "%v %v", row.resource, row.attrs)
	}
}
