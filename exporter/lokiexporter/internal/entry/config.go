package entry

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Config says how records become entries. All keys have defaults, see DefaultConfig.
type Config struct {
	// Labels are what streams are told apart by. Of several with one name the first counts
	// that has a value.
	Labels []Label `mapstructure:"labels"`
	// MaxLabelValues is how many distinct values a label of a tenant may have at a time.
	MaxLabelValues int `mapstructure:"max_label_values"`
	// MaxStreams is how many streams of a tenant may be active.
	MaxStreams int `mapstructure:"max_streams"`
	// StreamTTL is how long after its last entry a stream, a value or a tenant counts as active.
	StreamTTL time.Duration `mapstructure:"stream_ttl"`
	// Tenant says whose the records are.
	Tenant Tenant `mapstructure:"tenant"`
	// StructuredMetadata sends what is no label as structured metadata; a Loki whose
	// allow_structured_metadata is off refuses entries that have any.
	StructuredMetadata bool `mapstructure:"structured_metadata"`
	// MaxMetadataSize is Loki's max_structured_metadata_size in bytes.
	MaxMetadataSize int `mapstructure:"max_structured_metadata_size"`
	// MaxMetadataCount is Loki's max_structured_metadata_entries_count.
	MaxMetadataCount int `mapstructure:"max_structured_metadata_entries_count"`
	// Format is what the line is made of: body, json, logfmt, template or request.
	Format string `mapstructure:"format"`
	// Template is the line of format template: text with {{.name}} in it.
	Template string `mapstructure:"template"`
	// MaxLineSize is Loki's max_line_size in bytes.
	MaxLineSize int `mapstructure:"max_line_size"`
	// Timestamps says what happens to times that Loki refuses.
	Timestamps Timestamps `mapstructure:"timestamps"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// The formats of a line.
const (
	FormatBody     = "body"     // the body; a map is JSON
	FormatJSON     = "json"     // body, ids, severity and attributes, with the keys of contrib's exporter
	FormatLogfmt   = "logfmt"   // the same as logfmt
	FormatTemplate = "template" // Config.Template
	FormatRequest  = "request"  // the fields of a request as logfmt; the body where there are none
)

var formats = []string{FormatBody, FormatJSON, FormatLogfmt, FormatTemplate, FormatRequest}

// Bounds of the configuration. Those of Loki are its defaults; a server may have others.
const (
	maxLabels           = 10 // Loki takes 15, without service_name, and enforces some itself
	maxLabelEntries     = 32
	defaultLabelValues  = 100
	defaultStreams      = 1000
	mostStreams         = 100_000
	minStreamTTL        = time.Minute
	defaultStreamTTL    = time.Hour
	maxStreamTTL        = 24 * time.Hour
	lokiMetadataSize    = 64 << 10
	minMetadataSize     = 1 << 10
	maxMetadataSize     = 1 << 20
	lokiMetadataCount   = 128
	minMetadataCount    = 16
	maxMetadataCount    = 1024
	lokiLineSize        = 256 << 10
	minLineSize         = 256
	maxLineSize         = 16 << 20
	maxLabelNameLength  = 1024
	maxLabelValueLength = 2048
)

// DefaultConfig returns the defaults, which fit the defaults of Loki.
func DefaultConfig() Config {
	return Config{
		Labels:             DefaultLabels(),
		MaxLabelValues:     defaultLabelValues,
		MaxStreams:         defaultStreams,
		StreamTTL:          defaultStreamTTL,
		Tenant:             Tenant{MaxTenants: defaultTenants},
		StructuredMetadata: true,
		MaxMetadataSize:    lokiMetadataSize,
		MaxMetadataCount:   lokiMetadataCount,
		Format:             FormatBody,
		MaxLineSize:        lokiLineSize,
		Timestamps:         defaultTimestamps(),
	}
}

// Check reports every mistake, each with its key and the fix. It is not called Validate, which the
// collector would call by itself, and a person would read each mistake twice.
func (c *Config) Check() error {
	var errs []error
	within := func(key string, n, least, most, usual int) {
		if n < least || n > most {
			errs = append(errs, fmt.Errorf("%s: must be at least %d and at most %d (got %d); the default is %d", key, least, most, n, usual))
		}
	}
	errs = append(errs, validateLabels(c.Labels)...)
	within("max_label_values", c.MaxLabelValues, 1, mostStreams, defaultLabelValues)
	within("max_streams", c.MaxStreams, 1, mostStreams, defaultStreams)
	if c.StreamTTL < minStreamTTL || c.StreamTTL > maxStreamTTL {
		errs = append(errs, fmt.Errorf("stream_ttl: must be at least %v and at most %v (got %v); the default is %v",
			minStreamTTL, maxStreamTTL, c.StreamTTL, defaultStreamTTL))
	}
	within("max_structured_metadata_size", c.MaxMetadataSize, minMetadataSize, maxMetadataSize, lokiMetadataSize)
	within("max_structured_metadata_entries_count", c.MaxMetadataCount, minMetadataCount, maxMetadataCount, lokiMetadataCount)
	within("max_line_size", c.MaxLineSize, minLineSize, maxLineSize, lokiLineSize)
	if !slices.Contains(formats, c.Format) {
		errs = append(errs, fmt.Errorf("format: there is no format %q; choose from %s", c.Format, strings.Join(formats, ", ")))
	}
	switch _, err := parseTemplate(c.Template); {
	case c.Format == FormatTemplate && c.Template == "":
		errs = append(errs, errors.New("template: must not be empty with format: template; write text with fields in it, such as {{.body}} model={{.model_name}}"))
	case c.Format != FormatTemplate && c.Template != "":
		errs = append(errs, fmt.Errorf("template: has no effect with format: %s; set format: template or remove it", c.Format))
	case err != nil:
		errs = append(errs, fmt.Errorf("template: %w", err))
	}
	errs = append(errs, c.Tenant.validate()...)
	errs = append(errs, c.Timestamps.validate()...)
	return errors.Join(errs...)
}
