package nvmlreceiver

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: README.md beside the code.
// Guarantees: its table has each key with the default that the code has.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(data)
	for key, value := range defaults(reflect.ValueOf(createDefaultConfig()).Elem(), "") {
		if value == "" {
			assert.Contains(t, readme, fmt.Sprintf("| %#q | none |", key))
		} else {
			assert.Contains(t, readme, fmt.Sprintf("| %#q | %#q |", key, value))
		}
	}
	assert.Contains(t, readme, "| `metrics` |")
}

// defaults are the values by key; the metrics are in documentation.md.
func defaults(of reflect.Value, prefix string) map[string]string {
	all := map[string]string{}
	for f, v := range of.Fields() {
		tag, squash, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		switch {
		case tag == "metrics" || !f.IsExported():
		case f.Type.Kind() == reflect.Struct:
			if squash != "squash" {
				tag = prefix + tag + "::"
			}
			maps.Copy(all, defaults(v, tag))
		default:
			all[prefix+tag] = fmt.Sprint(v.Interface())
		}
	}
	return all
}
