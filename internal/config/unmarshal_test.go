package config

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

type section struct {
	Linger time.Duration `mapstructure:"linger"`
}

type sample struct {
	MaxSeries int     `mapstructure:"max_series"`
	Assembly  section `mapstructure:"assembly"`
}

func TestUnmarshal(t *testing.T) {
	var cfg sample
	ok := func() error { return nil }
	require.NoError(t, Unmarshal(confmap.NewFromStringMap(map[string]any{
		"max_series": 3, "assembly": map[string]any{"linger": "5s"},
	}), &cfg, ok))
	assert.Equal(t, sample{MaxSeries: 3, Assembly: section{Linger: 5 * time.Second}}, cfg)
	require.NoError(t, Unmarshal(confmap.New(), &cfg, func() error { return errors.New("not asked") }))

	err := Unmarshal(confmap.NewFromStringMap(map[string]any{
		"max_serie": 3, "max_series": "many", "colour": "red", "assembly": map[string]any{"lingr": "5s"},
	}), &cfg, func() error { return errors.New("and this") })
	for _, part := range []string{
		"max_serie: there is no such key; did you mean max_series?",
		"colour: there is no such key; there are max_series, assembly, assembly::linger",
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
