package spanphaseconnector

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// The README lists every key and every metric: one that is new and not there,
// or there and not real, fails here.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(data)
	keys := configKeys(reflect.TypeFor[Config](), "")
	for _, key := range keys {
		assert.Contains(t, readme, fmt.Sprintf("| %#q |", key))
	}
	for id := range inference.NumMetrics {
		m := inference.Registry(id)
		kind := "counter"
		if m.Histogram() {
			kind = "histogram"
		}
		own := strings.Join(m.Attributes, "`, `")
		if own != "" {
			own = "`" + own + "` "
		}
		assert.Contains(t, readme, fmt.Sprintf("| %#q | %s | %s | %s|", m.Name, m.Unit, kind, own))
	}
	for _, name := range inference.CommonAttributes() {
		assert.Contains(t, readme, "`"+name+"`")
	}
}

func configKeys(of reflect.Type, prefix string) (keys []string) {
	for f := range of.Fields() {
		tag := f.Tag.Get("mapstructure")
		switch {
		case tag == "":
		case f.Type.Kind() == reflect.Struct:
			keys = append(keys, configKeys(f.Type, prefix+tag+"::")...)
		default:
			keys = append(keys, prefix+tag)
		}
	}
	return keys
}
