package lokiexporter

import (
	marshalers "encoding"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/entry"
	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

func readme(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(data)
}

// The README lists every key with its default, and every default label: one that is new or
// changed and not there fails here.
func TestReadme(t *testing.T) {
	text := readme(t)
	keys := map[string]string{}
	collectKeys(reflect.ValueOf(createDefaultConfig()).Elem(), "", keys)
	for key, value := range keys {
		if !strings.Contains(text, fmt.Sprintf("| %#q | %s |", key, value)) {
			t.Errorf("no row of %s with the default %s", key, value)
		}
	}
	assert.Greater(t, len(keys), 75)
	for _, l := range entry.DefaultLabels() {
		assert.Contains(t, text, fmt.Sprintf("| %#q |", l.Name))
	}
	kinds := regexp.MustCompile(`(?m)description: What was done[^\n]*\n.*\n\s+enum: \[(.*)\]`)
	data, err := os.ReadFile("metadata.yaml")
	require.NoError(t, err)
	found := kinds.FindStringSubmatch(string(data))
	require.NotNil(t, found)
	for kind := range strings.SplitSeq(found[1], ", ") {
		assert.Contains(t, text, "`"+kind+"`")
	}
}

// leaves are sections that the README tells of in one row.
var leaves = []string{"labels", "cookies", "tls::tpm", "headers", "middlewares"}

// collectKeys finds the keys of a configuration, and what the README should say of the defaults.
func collectKeys(v reflect.Value, prefix string, keys map[string]string) {
	for f, value := range v.Fields() {
		name, option, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if name == "" && option != "squash" {
			continue
		}
		key := prefix + name
		if option == "squash" {
			collectKeys(value, prefix, keys)
			continue
		}
		if slices.Contains(leaves, key) {
			keys[key] = "none"
			if key == "labels" {
				keys[key] = "see [Labels](#labels)"
				collectKeys(reflect.New(value.Type().Elem()).Elem(), key+"::", keys)
			}
			continue
		}
		if get := value.Addr().MethodByName("GetOrInsertDefault"); get.IsValid() {
			value = get.Call(nil)[0].Elem()
		}
		_, text := reflect.TypeAssert[marshalers.TextMarshaler](value)
		_, sizer := reflect.TypeAssert[exporterhelper.RequestSizerType](value)
		_, id := reflect.TypeAssert[marshalers.TextUnmarshaler](value.Addr())
		if value.Kind() == reflect.Struct && !text && !sizer && !id {
			collectKeys(value, key+"::", keys)
			continue
		}
		keys[key] = defaultOf(value)
	}
}

func defaultOf(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Duration:
		return "`" + x.String() + "`"
	case exporterhelper.RequestSizerType:
		return "`" + x.String() + "`"
	}
	if v.IsZero() && v.Kind() != reflect.Bool && !v.CanInt() || v.Kind() == reflect.Slice && v.Len() == 0 {
		return "none"
	}
	return fmt.Sprintf("`%v`", v.Interface())
}

var blocks = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every configuration in the README loads, and names what it has.
func TestReadmeConfigs(t *testing.T) {
	found := blocks.FindAllStringSubmatch(readme(t), -1)
	require.NotEmpty(t, found)
	for _, block := range found {
		var all map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(block[1]), &all))
		exporters := all["exporters"].(map[string]any)
		for name, keys := range exporters {
			require.Regexp(t, "^loki(/.*)?$", name)
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, confmap.NewFromStringMap(keys.(map[string]any)).Unmarshal(cfg), block[1])
			require.NoError(t, cfg.Validate(), block[1])
			exp := newStopped(t, cfg)
			require.NoError(t, exp.Shutdown(t.Context()))
		}
		service, ok := all["service"].(map[string]any)
		if !ok {
			continue
		}
		logs := service["pipelines"].(map[string]any)["logs"].(map[string]any)
		for _, name := range logs["exporters"].([]any) {
			assert.Contains(t, exporters, name)
		}
	}
}

// The lines of the table of formats are those that Loki gets.
func TestReadmeLines(t *testing.T) {
	text := readme(t)
	for _, format := range []string{"body", "json", "logfmt", "template", "request"} {
		server := lokitest.New(t, lokitest.Options{})
		exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) {
			if cfg.Format = format; format == "template" {
				cfg.Template = "{{.level}} {{.body}} in {{.total_time_ms}} ms, model {{.model_name}}, {{.service.name}}"
				assert.Contains(t, text, cfg.Template)
			}
		})
		ld := records(1, "chat")
		rec := ld.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
		plog.NewLogRecord().CopyTo(rec)
		rec.Body().SetStr("request finished")
		rec.SetSeverityText("INFO")
		rec.Attributes().PutStr("request_id", "r1")
		rec.Attributes().PutStr("model_name", "m")
		rec.Attributes().PutDouble("queue_time_ms", 20.5)
		rec.Attributes().PutDouble("total_time_ms", 2803.5)
		require.NoError(t, exp.ConsumeLogs(t.Context(), ld))
		require.NoError(t, exp.Shutdown(t.Context()))
		kept := server.Records(lokitest.Query{})
		require.Len(t, kept, 1)
		if !strings.Contains(text, fmt.Sprintf("| %#q | %#q |", format, kept[0].Line)) {
			t.Errorf("no row of %s with %s", format, kept[0].Line)
		}
	}
}
