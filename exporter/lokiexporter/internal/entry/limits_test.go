package entry

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

func TestLongLines(t *testing.T) {
	long := strings.Repeat("é", lokiLineSize)
	many := map[string]any{}
	for i := range 100 {
		many[fmt.Sprint("k", i)] = strings.Repeat("€\"\xff", 2000)
	}
	for _, format := range formats {
		for name, attrs := range map[string]map[string]any{"body": nil, "map": many} {
			c := newConverter(t, func(cfg *Config) {
				if cfg.Format = format; format == FormatTemplate {
					cfg.Template = "{{.body}} {{.attributes.k0}}"
				}
			})
			list := c.Convert(one(t, nil, nil, func(rec plog.LogRecord) {
				if attrs == nil {
					rec.Body().SetStr(long)
				} else {
					require.NoError(t, rec.Body().SetEmptyMap().FromRaw(attrs))
				}
			}), "")
			line := lineOf(t, list)
			assert.LessOrEqual(t, len(line), lokiLineSize)
			assert.Greater(t, len(line), lokiLineSize-8, "%s %s", format, name)
			assert.True(t, utf8.ValidString(line))
			assert.True(t, strings.HasSuffix(line, "..."))
			assert.Equal(t, "truncated=line", metadataOf(t, list))
			assert.EqualValues(t, 1, c.Stats().LinesTruncated.Load())
		}
	}
	c := newConverter(t)
	line := lineOf(t, c.Convert(one(t, nil, nil, body(long[:lokiLineSize])), ""))
	assert.Equal(t, long[:lokiLineSize], line, "exactly as long as it may be")
	assert.Zero(t, c.Stats().LinesTruncated.Load())
}

func TestLargestValuesAreCutFirst(t *testing.T) {
	c := newConverter(t)
	attrs := map[string]any{"small": "s", "middle": strings.Repeat("m", 2000), "large": strings.Repeat("é", 20000), "larger": strings.Repeat("l", 90000)}
	list := c.Convert(one(t, nil, attrs, ids), "")
	meta := pairsOf(list)
	size := push.MetadataSize(meta)
	assert.LessOrEqual(t, size, lokiMetadataSize-50)
	assert.Greater(t, size, lokiMetadataSize-200)
	lengths := map[string]int{}
	for _, p := range meta {
		lengths[p.Name] = len(p.Value)
		assert.True(t, utf8.ValidString(p.Value))
	}
	assert.Equal(t, 1, lengths["small"])
	assert.Equal(t, 2000, lengths["middle"])
	assert.InDelta(t, lengths["large"], lengths["larger"], 2)
	assert.Equal(t, 32, lengths["trace_id"])
	assert.Equal(t, push.Pair{Name: "truncated", Value: "metadata"}, meta[len(meta)-1])
	assert.EqualValues(t, 2, c.Stats().MetadataTruncated.Load())
	assert.Zero(t, c.Stats().MetadataDropped.Load())
}

func TestManyAttributes(t *testing.T) {
	c := newConverter(t)
	attrs := map[string]any{"truncated": "mine", "zz": "last"}
	for i := range 200 {
		attrs[fmt.Sprintf("k%03d", i)] = "v"
	}
	list := c.Convert(one(t, map[string]any{"r": "x"}, attrs, ids), "")
	meta := pairsOf(list)
	require.Len(t, meta, lokiMetadataCount-1, "one is left for detected_level")
	assert.Equal(t, "trace_id", meta[0].Name)
	assert.Equal(t, "span_id", meta[1].Name)
	assert.Equal(t, push.Pair{Name: "truncated", Value: "metadata"}, meta[len(meta)-1])
	assert.EqualValues(t, 203-124, c.Stats().MetadataDropped.Load())
}

// TestIDsOfAttributes is about ids that are not yet where they belong, behind many others.
func TestIDsOfAttributes(t *testing.T) {
	c := newConverter(t)
	attrs := map[string]any{"trace_id": "abc", "span_id": "def"}
	for i := range 200 {
		attrs[fmt.Sprintf("k%03d", i)] = strings.Repeat("v", 1000)
	}
	meta := pairsOf(c.Convert(one(t, nil, attrs), ""))
	assert.Equal(t, []push.Pair{{Name: "trace_id", Value: "abc"}, {Name: "span_id", Value: "def"}}, meta[:2])

	got := metadataOf(t, c.Convert(one(t, nil, map[string]any{"trace_id": "abc"}, ids), ""))
	assert.Equal(t, "trace_id=01000000000000000000000000000000 span_id=0200000000000000 trace_id_attribute=abc", got)
}

func TestOwnTruncatedMakesWay(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxLineSize = minLineSize })
	got := metadataOf(t, c.Convert(one(t, nil, map[string]any{"truncated": "mine"}, body(strings.Repeat("x", 300))), ""))
	assert.Equal(t, "truncated=line truncated_attribute=mine", got)
}

func TestSmallLimits(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.MaxMetadataSize = minMetadataSize; cfg.MaxMetadataCount = maxMetadataCount })
	attrs := map[string]any{}
	for i := range 300 {
		attrs[strings.Repeat("n", 300)+strconv.Itoa(i)] = strings.Repeat("v", i)
	}
	meta := pairsOf(c.Convert(one(t, nil, attrs, ids), ""))
	assert.LessOrEqual(t, push.MetadataSize(meta), minMetadataSize)
	assert.Equal(t, "span_id", meta[1].Name)
}

func TestWithoutMetadata(t *testing.T) {
	c := newConverter(t, func(cfg *Config) { cfg.StructuredMetadata = false })
	list := c.Convert(one(t, map[string]any{"r": 1}, map[string]any{"a": 1}, ids, ago(1e18)), "")
	assert.Equal(t, `{service_name="unknown_service"} 0s "{\"a\":1}"`+"\n", told(list))
}

func ids(rec plog.LogRecord) {
	rec.SetTraceID(pcommon.TraceID{1})
	rec.SetSpanID(pcommon.SpanID{2})
}

// Values that are empty take no place, and an attribute that is a label's takes none either.
func TestEmptyValuesTakeNoPlace(t *testing.T) {
	c := newConverter(t)
	resource := map[string]any{"z.host": "gpu-1"}
	for i := range 200 {
		resource[fmt.Sprintf("a%03d", i)] = ""
	}
	assert.Equal(t, "z_host=gpu-1", metadataOf(t, c.Convert(one(t, resource, nil), "")))

	attrs := map[string]any{"model_name": "m"}
	for i := range lokiMetadataCount - headroomCount {
		attrs[fmt.Sprintf("a%03d", i)] = "v"
	}
	c.Convert(one(t, nil, attrs), "")
	assert.Zero(t, c.Stats().MetadataDropped.Load())
}

// A label of the name that tells of what was cut keeps it.
func TestTruncatedIsALabel(t *testing.T) {
	c := newConverter(t, func(cfg *Config) {
		cfg.MaxLineSize = minLineSize
		cfg.Labels = append(cfg.Labels, Label{Name: "truncated", Attribute: "t"})
	})
	got := metadataOf(t, c.Convert(one(t, nil, map[string]any{"t": "x"}, body(strings.Repeat("x", 300))), ""))
	assert.Equal(t, "truncated_attribute=line", got)
}
