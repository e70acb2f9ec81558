package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestJudge(t *testing.T) {
	defaults := map[string]bool{
		"hw.power": true, "hw.gpu.utilization": true, "hw.gpu.io": true,
		"nvidia.gpu.clock.limited": true, "nvidia.gpu.clock.limited.time": true,
	}
	here := func(unit string, numbers ...float64) *values { return &values{unit: unit, numbers: numbers} }
	there := func(numbers ...float64) *values { return &values{numbers: numbers} }
	for name, test := range map[string]struct {
		metric      string
		here, there *values
		want        verdict
	}{
		"alike":                        {"hw.power", here("W", 300, 320), there(305), agrees},
		"within what nvidia-smi saw":   {"hw.power", here("W", 200), there(100, 400), agrees},
		"a little outside of it":       {"hw.power", here("W", 600), there(300, 400), differs},
		"far off":                      {"hw.power", here("W", 300_000), there(300), differs},
		"in another unit":              {"hw.power", here("mW", 300), there(300), differs},
		"percent":                      {"hw.gpu.utilization", here("1", 0, 0, 40), there(0, 0.4), differs},
		"counts of something":          {"hw.errors", here("{error}", 3), there(3), agrees},
		"one error more":               {"hw.errors", here("{error}", 4), there(3), differs},
		"nvidia-smi has no such thing": {"hw.gpu.io", here("By", 1), nil, notComparable},
		"nvidia-smi does not tell":     {"hw.power", here("W", 1), nil, onlyHere},
		"a default that is lacking":    {"hw.power", nil, there(300), missing},
		"an option that is lacking":    {"hw.fan.speed_ratio", nil, there(0.3), onlyThere},
		"a reason the GPU has not":     {"nvidia.gpu.clock.limited", nil, there(0, 0), onlyThere},
		"a reason that holds":          {"nvidia.gpu.clock.limited", nil, there(0, 1), missing},
		"times that old drivers lack":  {"nvidia.gpu.clock.limited.time", nil, there(3), onlyThere},
		"energy that stands still":     {energyRate, nil, there(300), notComparable},
		"energy in millijoules":        {energyRate, here("W", 300_000), there(300), differs},
	} {
		t.Run(name, func(t *testing.T) {
			f := finding{series: series{metric: test.metric}, here: test.here, there: test.there}
			f.judge(defaults)
			assert.Equal(t, test.want, f.verdict)
		})
	}
}

// What is enabled for the check exists, and what is compared is a metric.
func TestNamesExist(t *testing.T) {
	defaults, err := defaultMetrics()
	require.NoError(t, err)
	assert.True(t, defaults["hw.power"])
	for _, name := range optionalMetrics {
		on, exists := defaults[name]
		assert.True(t, exists, name)
		assert.False(t, on, name)
	}
	for name := range rules {
		if name != energyRate {
			assert.Contains(t, defaults, name)
		}
	}
	for _, carrier := range carriers {
		if carrier != "" {
			assert.Contains(t, defaults, carrier)
		}
	}
}
