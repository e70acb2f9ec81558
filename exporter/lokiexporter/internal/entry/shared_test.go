package entry

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
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

// TestNamesNotMet is about names that meet others only in the second record: in the first they have
// no value.
func TestNamesNotMet(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.Timestamps.Distinct = false })
	ld := one(t, map[string]any{"service.name": "chat", "host.name": "gpu-1"}, map[string]any{"host_name": []byte{}, "service_name": []byte{}, "a.b": []byte{}, "a_b": "1"})
	one(t, nil, map[string]any{"host_name": "mine", "service_name": "mine", "a.b": "2", "a_b": "3"}).
		ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().MoveAndAppendTo(ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords())
	got := told(c.Convert(ld, ""))
	assert.Contains(t, got, ` a_b="1" host_name="gpu-1"`)
	assert.Contains(t, got, ` a_b="2" a_b_attribute="3" host_name="mine" service_name_attribute="mine" host_name_resource="gpu-1"`)
}

// TestAloneOrTogether: what becomes of a record does not depend on those beside or before it, though
// much is kept from one to the next: names by their place, the metadata of a resource, a route.
func TestAloneOrTogether(t *testing.T) {
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		count, few, plain := maxMetadataCount/(1+rng.IntN(3)), rng.IntN(2) > 0, rng.IntN(8) == 0
		change := func(cfg *Config) {
			cfg.Timestamps.Distinct = false
			cfg.MaxLineSize, cfg.MaxMetadataCount, cfg.StructuredMetadata = minLineSize, count, !plain
			if few {
				cfg.MaxLabelValues, cfg.MaxMetadataSize, cfg.Tenant.Attribute = 2, minMetadataSize, "a"
			}
		}
		c, other := newConverter(t, change), newConverter(t, change)
		together := someLogs(rng)
		got := strings.Split(strings.TrimSuffix(told(c.Convert(together, "")), "\n"), "\n")
		var want []string
		for _, rl := range together.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, rec := range sl.LogRecords().All() {
					alone := plog.NewLogs()
					to := alone.ResourceLogs().AppendEmpty()
					rl.Resource().CopyTo(to.Resource())
					scope := to.ScopeLogs().AppendEmpty()
					sl.Scope().CopyTo(scope.Scope())
					rec.CopyTo(scope.LogRecords().AppendEmpty())
					want = append(want, strings.TrimSuffix(told(other.Convert(alone, "")), "\n"))
				}
			}
		}
		require.ElementsMatch(t, want, got, "seed %d", seed)
	}
}

// someLogs has few names, of which many collide once they are sanitised, and a few values.
func someLogs(rng *rand.Rand) plog.Logs {
	keys := []string{"", "a", "a.b", "a_b", "a-b", "__", "model_name", "service.name", "scope_name", "host.name", "truncated", "trace_id", "level", "x.attribute"}
	fill := func(m pcommon.Map) {
		for range rng.IntN(6) {
			v := m.PutEmpty(keys[rng.IntN(len(keys))])
			switch rng.IntN(9) {
			case 6:
				v.SetBool(rng.IntN(2) > 0)
			case 7:
				v.SetEmptyBytes().FromRaw([]byte("bytes")[:rng.IntN(2)])
			case 8:
				v.SetEmptySlice().AppendEmpty().SetInt(1)
			case 0:
				v.SetInt(int64(rng.IntN(300)))
			case 1:
				v.SetDouble(float64(rng.IntN(100)) / 8)
			case 2:
				v.SetEmptyMap().PutStr(keys[rng.IntN(len(keys))], "inner")
			case 3:
				v.SetStr("")
			case 4:
				v.SetStr(strings.Repeat("long", rng.IntN(2000)))
			default:
				v.SetStr(fmt.Sprint("v", rng.IntN(3)))
			}
		}
	}
	ld := plog.NewLogs()
	for range 1 + rng.IntN(2) {
		rl := ld.ResourceLogs().AppendEmpty()
		fill(rl.Resource().Attributes())
		for range 1 + rng.IntN(2) {
			sl := rl.ScopeLogs().AppendEmpty()
			sl.Scope().SetName([]string{"", "s1", "s2"}[rng.IntN(3)])
			fill(sl.Scope().Attributes())
			bits := rng.IntN(64) // which fields there are
			for i := range 1 + rng.IntN(8) {
				rec := sl.LogRecords().AppendEmpty()
				rec.SetTimestamp(pcommon.NewTimestampFromTime(now))
				rec.Body().SetStr(fmt.Sprint("body ", i, strings.Repeat(".", rng.IntN(2)*minLineSize)))
				if rng.IntN(3) > 0 && i > 0 {
					before := sl.LogRecords().At(i - 1).Attributes()
					before.CopyTo(rec.Attributes())
					for _, v := range rec.Attributes().All() {
						if v.Type() != pcommon.ValueTypeMap && rng.IntN(3) == 0 {
							v.SetStr(v.AsString() + "'")
						}
					}
				} else {
					fill(rec.Attributes())
				}
				if rng.IntN(4) == 0 {
					bits = rng.IntN(64)
				}
				rec.SetSeverityNumber(plog.SeverityNumber(bits & 1))
				rec.SetTraceID(pcommon.TraceID{byte(bits >> 1 & 1)})
				rec.SetSpanID(pcommon.SpanID{byte(bits >> 2 & 1)})
				rec.SetFlags(plog.LogRecordFlags(bits >> 3 & 1))
				rec.SetSeverityText(strings.Repeat("INFO", bits>>4&1))
				rec.SetObservedTimestamp(rec.Timestamp() + pcommon.Timestamp(bits>>5&1))
			}
		}
	}
	return ld
}
