package entry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

// TestShared is about records of one resource of which some cannot have its metadata as it is.
func TestShared(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxLineSize = minLineSize })
	resource := map[string]any{"service.name": "chat", "host.name": "gpu-1", "k8s.pod.name": "p", "model.name": "of-resource"}
	ld := one(t, resource, nil, body("plain"))
	records := ld.ResourceLogs().At(0).ScopeLogs().At(0)
	records.Scope().SetName("app")
	add := func(attrs map[string]any, change ...func(plog.LogRecord)) {
		one(t, nil, attrs, change...).ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().MoveAndAppendTo(records.LogRecords())
	}
	add(map[string]any{"host_name": "other", "scope_name": "mine"}, body("collides"))
	add(map[string]any{"host_name": "gpu-1"}, body("same"))
	add(map[string]any{"model_name": "m"}, body("has a label"))
	add(nil, body(strings.Repeat("x", minLineSize+1)))
	add(map[string]any{"truncated": "mine"}, body("own"))
	add(nil, body("plain again"))
	got := told(c.Convert(ld, ""))
	for _, want := range []string{
		`{service_name="chat"} 0s "plain" scope_name="app" host_name="gpu-1" k8s_pod_name="p" model_name="of-resource"`,
		`"collides" host_name="other" scope_name="mine" scope_name_scope="app" host_name_resource="gpu-1" k8s_pod_name="p" model_name="of-resource"`,
		`"same" host_name="gpu-1" scope_name="app" k8s_pod_name="p" model_name="of-resource"`,
		`{model_name="m", service_name="chat"} 0s "has a label" scope_name="app" host_name="gpu-1" k8s_pod_name="p" model_name_resource="of-resource"`,
		`x..." scope_name="app" host_name="gpu-1" k8s_pod_name="p" model_name="of-resource" truncated="line"`,
		`"own" truncated="mine" scope_name="app" host_name="gpu-1" k8s_pod_name="p" model_name="of-resource"`,
		`"plain again" scope_name="app" host_name="gpu-1" k8s_pod_name="p" model_name="of-resource"`,
	} {
		assert.Regexp(t, "(?m)"+quoteEnd(want), got)
	}
}

// quoteEnd matches text at the end of a line.
func quoteEnd(text string) string {
	return strings.NewReplacer(".", `\.`, "{", `\{`, "}", `\}`).Replace(text) + "$"
}
