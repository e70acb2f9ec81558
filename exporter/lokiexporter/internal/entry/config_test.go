package entry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

func TestDefaultConfigIsValid(t *testing.T) {
	cfg := DefaultConfig()
	require.NoError(t, cfg.Check())
}

func TestAllMistakesAtOnce(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Labels = []Label{{}, {Attribute: "user_id"}, {Field: "colour"}, {Name: "x"}}
	cfg.MaxLabelValues, cfg.MaxStreams, cfg.StreamTTL = 0, -1, time.Second
	cfg.MaxMetadataSize, cfg.MaxMetadataCount, cfg.MaxLineSize = 1, 1, 1
	cfg.Format, cfg.Template = "xml", "{{.body}}"
	cfg.Tenant = Tenant{Value: "a/b", ClientMetadata: "a b"}
	cfg.Timestamps = Timestamps{TooOld: "x", MaxAhead: -1}
	err := cfg.Check()
	for _, want := range []string{
		"labels::0: has no source; set attribute", `labels::1: "user_id" identifies`, `labels::2: field: must be severity`, "labels::3: has no source",
		"max_label_values: must be at least 1 and at most 100000 (got 0); the default is 100", "max_streams: ", "stream_ttl: ",
		"max_structured_metadata_size: ", "max_structured_metadata_entries_count: ", "max_line_size: ",
		`format: there is no format "xml"; choose from body, json, logfmt, template, request`, "template: has no effect with format: xml",
		`tenant::value: "a/b" has a character that Loki refuses`, "tenant::max_tenants: ", "tenant::client_metadata: ",
		"timestamps::max_age: ", "timestamps::max_ahead: ", `timestamps::too_old: must be clamp, drop, keep, but is "x"`, "timestamps::too_new: ",
	} {
		require.ErrorContains(t, err, want)
	}
	cfg = DefaultConfig()
	cfg.Format = FormatTemplate
	require.ErrorContains(t, cfg.Check(), "template: must not be empty")
	for _, name := range []string{"a", "b", "c"} {
		cfg.Labels = append(cfg.Labels, Label{Attribute: name})
	}
	require.ErrorContains(t, cfg.Check(), "labels: must be at most 10 names (got 11: ")
	_, err = New(cfg, time.Now)
	require.Error(t, err)
}

// TestListReplacesDefaults is about a list of labels that is shorter than the default one.
func TestListReplacesDefaults(t *testing.T) {
	cfg := DefaultConfig()
	conf := confmap.NewFromStringMap(map[string]any{
		"labels":     []any{map[string]any{"attribute": "team"}},
		"timestamps": map[string]any{"too_old": "drop"},
		"tenant":     map[string]any{"resource": "team"},
	})
	require.NoError(t, conf.Unmarshal(&cfg))
	assert.Equal(t, []Label{{Attribute: "team"}}, cfg.Labels)
	assert.Equal(t, PolicyDrop, cfg.Timestamps.TooOld)
	assert.Equal(t, PolicyClamp, cfg.Timestamps.TooNew)
	assert.Equal(t, defaultTenants, cfg.Tenant.MaxTenants)
	require.NoError(t, cfg.Check())
}
