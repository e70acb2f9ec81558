package enginemetricsprocessor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-inference/otelcol-inference/internal/config"
	"github.com/otelcol-inference/otelcol-inference/processor/enginemetricsprocessor/internal/engines"
)

// Config is the configuration of the processor.
type Config struct {
	// Engines are those whose metrics are read, by the value of inference.engine; empty is all.
	Engines []string `mapstructure:"engines"`
	// Originals says what becomes of the metrics that were read: keep or drop.
	Originals string `mapstructure:"originals"`
	// Ranks says what becomes of the parallel ranks of an engine: merge makes one of them, keep
	// tells them apart by inference.server.rank.
	Ranks string `mapstructure:"ranks"`
	// DefaultModel names the model of engines that name none.
	DefaultModel string `mapstructure:"default_model"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// The values of Originals and Ranks.
const (
	Keep  = "keep"
	Drop  = "drop"
	Merge = "merge"
)

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	return &Config{Originals: Keep, Ranks: Merge}
}

// Unmarshal reports what cannot be decoded together with what is decoded but
// wrong: all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, func() error { return confmap.Validate(cfg) })
}

// Validate reports every mistake, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	var names []string
	for _, e := range engines.All() {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for i, name := range cfg.Engines {
		if !slices.Contains(names, name) {
			errs = append(errs, fmt.Errorf("engines::%d: %q is not known; there are %s", i, name, strings.Join(names, ", ")))
		}
	}
	if cfg.Originals != Keep && cfg.Originals != Drop {
		errs = append(errs, fmt.Errorf("originals: must be %s or %s, but is %q", Keep, Drop, cfg.Originals))
	}
	if cfg.Ranks != Merge && cfg.Ranks != Keep {
		errs = append(errs, fmt.Errorf("ranks: must be %s or %s, but is %q", Merge, Keep, cfg.Ranks))
	}
	return errors.Join(errs...)
}
