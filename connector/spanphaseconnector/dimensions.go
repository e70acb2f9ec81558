package spanphaseconnector

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/connector/spanphaseconnector/internal/series"
	"github.com/otelcol-inference/otelcol-inference/internal/cardinality"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// DimensionConfig is an attribute of spans or resources that becomes an attribute of all metrics.
type DimensionConfig struct {
	// Name of the attribute that it becomes.
	Name string `mapstructure:"name"`
	// Attributes are where its value is, the first one that is there; empty: one
	// that is called as it is.
	Attributes []string `mapstructure:"attributes"`
	// From is span, parent or resource; empty: the first of them that has it.
	From string `mapstructure:"from"`
	// Default is its value where there is none; empty: it is left out.
	Default string `mapstructure:"default"`
	// MaxValues is how many values have series of their own; nil: 50.
	MaxValues *int `mapstructure:"max_values"`

	// prevent unkeyed literal initialization
	_ struct{}
}

const (
	defaultMaxValues = 50
	// maxDimensions is how many there may be: each multiplies the series.
	maxDimensions = 20
)

// dimensions returns the dimensions as spans are read for them.
func (cfg *Config) dimensions() []inference.Dimension {
	list := make([]inference.Dimension, 0, len(cfg.Dimensions))
	for i := range cfg.Dimensions {
		d := &cfg.Dimensions[i]
		from, _ := inference.ParseFrom(d.From)
		attributes := d.Attributes
		if len(attributes) == 0 {
			attributes = []string{d.Name}
		}
		list = append(list, inference.Dimension{Name: d.Name, Attributes: attributes, From: from, Default: d.Default})
	}
	return list
}

// limitedDimensions returns the dimensions as the store needs them.
func (cfg *Config) limitedDimensions() []series.Dimension {
	list := make([]series.Dimension, 0, len(cfg.Dimensions))
	for i := range cfg.Dimensions {
		limit := defaultMaxValues
		if n := cfg.Dimensions[i].MaxValues; n != nil {
			limit = *n
		}
		list = append(list, series.Dimension{Name: cfg.Dimensions[i].Name, MaxValues: limit})
	}
	return list
}

func (cfg *Config) validateDimensions() error {
	var errs []error
	if n := len(cfg.Dimensions); n > maxDimensions {
		errs = append(errs, fmt.Errorf("dimensions: must be at most %d (got %d): each multiplies the series", maxDimensions, n))
	}
	taken := make(map[string]string)
	for _, name := range cfg.ownAttributes() {
		taken[label(name)] = "an attribute of the metrics themselves"
	}
	for i := range cfg.Dimensions {
		d, key := &cfg.Dimensions[i], fmt.Sprintf("dimensions::%d", i)
		switch by := taken[label(d.Name)]; {
		case d.Name == "":
			errs = append(errs, fmt.Errorf("%s::name: must name the attribute that it becomes", key))
		case by != "":
			errs = append(errs, fmt.Errorf("%s::name: %q is %s, on a Prometheus page at least; use another name", key, d.Name, by))
		default:
			taken[label(d.Name)] = key
		}
		if slices.Contains(d.Attributes, "") {
			errs = append(errs, fmt.Errorf("%s::attributes: must not hold an empty name", key))
		}
		if _, ok := inference.ParseFrom(d.From); !ok {
			errs = append(errs, fmt.Errorf("%s::from: must be span, parent or resource (got %q); leave it out for the first of them that has it", key, d.From))
		}
		if n := d.MaxValues; n != nil {
			errs = append(errs, atLeastOne(key+"::max_values", *n, defaultMaxValues))
		}
	}
	_, err := parseBands(cfg.InputLengthBands)
	return errors.Join(append(errs, err)...)
}

// ownAttributes are those that a dimension must not be called like.
func (cfg *Config) ownAttributes() []string {
	list := append(inference.CommonAttributes(), inference.AttrOverflow, inference.AttrInputLengthBand, "le", "quantile", "job", "instance")
	for id := range inference.NumMetrics {
		list = append(list, inference.Registry(id).Attributes...)
	}
	if cfg.SemconvMetrics {
		for i := range inference.SemconvAttributes {
			list = append(list, inference.SemconvAttributes[i].Name)
		}
	}
	return list
}

// label returns a name as a Prometheus page has it.
func label(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
}

// whyMany is why a dimension has too many values.
var whyMany = [...]string{
	cardinality.Identifies: "identifies one thing",
	cardinality.Measures:   "is a measurement; measures make a histogram of one",
	cardinality.Says:       "is free text",
	cardinality.Personal:   "is about a user",
}

// warnOfDimensions warns of those that by their name have more values than series can bear.
func (cfg *Config) warnOfDimensions(logger *zap.Logger) {
	for _, d := range cfg.dimensions() {
		for _, name := range d.Attributes {
			low := strings.ToLower(label(name))
			if why := whyMany[cardinality.Of(low)]; why != "" && !strings.Contains(low, "tenant") {
				logger.Warn("A dimension is likely to have a value of its own for each request or user: it soon has only the value \"other\". "+
					"Look such a value up in traces, or in the logs, instead.",
					zap.String("dimension", d.Name), zap.String("attribute", name), zap.String("which", why))
				break
			}
		}
	}
}

// usualBands are the bounds of input_length_bands: true.
var usualBands = []int64{1 << 10, 4 << 10, 16 << 10, 64 << 10}

// bands returns the bands of the input's length, nil where they are off.
func (cfg *Config) bands() series.Bands {
	bounds, _ := parseBands(cfg.InputLengthBands)
	if bounds == nil {
		return nil
	}
	return series.NewBands(bounds)
}

// maxBands is how many bands there may be: each multiplies the series.
const maxBands = 20

// parseBands returns the bounds that setting says, nil where it is off.
func parseBands(setting any) ([]int64, error) {
	fail := func() ([]int64, error) {
		return nil, fmt.Errorf("input_length_bands: must be true, or 1 to %d bounds in tokens, above zero and rising, such as %v (got %v)", maxBands, usualBands, setting)
	}
	switch v := setting.(type) {
	case nil:
		return nil, nil
	case bool:
		if v {
			return usualBands, nil
		}
		return nil, nil
	case []any:
		var bounds []int64
		for _, item := range v {
			var bound int64
			switch n := item.(type) {
			case int:
				bound = int64(n)
			case int64:
				bound = n
			case float64:
				if n != math.Trunc(n) || n > 1e12 {
					return fail()
				}
				bound = int64(n)
			default:
				return fail()
			}
			if bound < 1 || len(bounds) > 0 && bound <= bounds[len(bounds)-1] {
				return fail()
			}
			bounds = append(bounds, bound)
		}
		if len(bounds) > 0 && len(bounds) <= maxBands {
			return bounds, nil
		}
	}
	return fail()
}
