package engines

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// The vocabulary of GPUs is that of the nvml receiver, to the letter.
func TestHardwareIsThatOfNVML(t *testing.T) {
	data, err := os.ReadFile("../../../../receiver/nvmlreceiver/metadata.yaml")
	require.NoError(t, err)
	var of struct {
		Attributes map[string]struct {
			Name string `yaml:"name_override"`
		}
		Metrics map[string]struct {
			Unit       string
			Attributes []string
			Gauge      *struct{}
			Sum        *struct{ Monotonic bool }
		}
	}
	require.NoError(t, yaml.Unmarshal(data, &of))
	for i := range dcgm.Rows {
		row := &dcgm.Rows[i]
		m, ok := of.Metrics[row.To.Name]
		require.True(t, ok, row.To.Name)
		assert.Equal(t, m.Unit, row.To.Unit, row.To.Name)
		want := inference.KindGauge
		if m.Sum != nil {
			want = inference.KindUpDownCounter
			if m.Sum.Monotonic {
				want = inference.KindCounter
			}
		}
		assert.Equal(t, want, row.To.Kind, row.To.Name)
		var attrs []string
		for _, a := range m.Attributes {
			if name := of.Attributes[a].Name; name != "" {
				a = name
			}
			attrs = append(attrs, a)
		}
		for _, a := range row.Set {
			assert.Contains(t, attrs, a.Key, row.To.Name)
		}
		assert.Subset(t, append(keys(row.Set), "hw.id", "hw.name", "hw.parent", "nvidia.mig.gpu_instance.id", "nvidia.mig.profile"), attrs, row.To.Name)
	}
}

func keys(attrs []Attribute) (list []string) {
	for _, a := range attrs {
		list = append(list, a.Key)
	}
	return list
}

func TestTable(t *testing.T) {
	for _, e := range All() {
		assert.NotEmpty(t, e.Prefixes, e.Name)
		if slices.Contains(e.Prefixes, "") {
			assert.NotEmpty(t, e.Requires, "%s: names without a prefix are everybody's", e.Name)
		}
		seen := map[string]bool{}
		for i := range e.Rows {
			row := &e.Rows[i]
			key := fmt.Sprint(row.From, row.To.Name, row.Set, row.Only)
			assert.False(t, seen[key], "%s: %s is there twice", e.Name, row.From)
			seen[key] = true
			if e.Hardware {
				continue
			}
			allowed := append(inference.ServerAttributes(), row.To.Attributes...)
			attrs := row.Set
			if row.Outcome != nil {
				attrs = slices.Concat(attrs, row.Outcome.Of(""), row.Outcome.Of("error"), row.Outcome.Of("stop"), row.Outcome.Of("503"))
			}
			assert.Subset(t, allowed, keys(attrs), "%s: %s", e.Name, row.From)
		}
	}
}
