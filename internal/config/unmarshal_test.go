package config

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

type waits struct {
	Linger time.Duration `mapstructure:"linger"`
}

type Embedded struct {
	Interval time.Duration `mapstructure:"interval"`
}

type sample struct {
	Embedded  `mapstructure:",squash"`
	MaxSeries int   `mapstructure:"max_series"`
	Assembly  waits `mapstructure:"assembly"`
}

func TestUnmarshal(t *testing.T) {
	var cfg sample
	ok := func() error { return nil }
	require.NoError(t, Unmarshal(confmap.NewFromStringMap(map[string]any{
		"interval": "1s", "max_series": 3, "assembly": map[string]any{"linger": "5s"},
	}), &cfg, ok))
	assert.Equal(t, sample{Embedded: Embedded{Interval: time.Second}, MaxSeries: 3, Assembly: waits{Linger: 5 * time.Second}}, cfg)
	require.NoError(t, Unmarshal(confmap.New(), &cfg, func() error { return errors.New("not asked") }))

	err := Unmarshal(confmap.NewFromStringMap(map[string]any{
		"max_serie": 3, "max_series": "many", "colour": "red", "assembly": map[string]any{"lingr": "5s"},
	}), &cfg, func() error { return errors.New("and this") })
	for _, part := range []string{
		"max_serie: there is no such key; did you mean max_series?",
		"colour: there is no such key; there are interval, max_series, assembly",
		"assembly::lingr: there is no such key; did you mean assembly::linger?",
		"'max_series' expected type 'int'",
		"and this",
	} {
		assert.ErrorContains(t, err, part)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"", "abc", 3}, {"lingr", "linger", 1}} {
		assert.Equal(t, test.want, distance(test.a, test.b), "%s %s", test.a, test.b)
	}
}
