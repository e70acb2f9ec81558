package logcorrelationprocessor

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/otelcol-inference/otelcol-inference/internal/config"
	"github.com/otelcol-inference/otelcol-inference/internal/customdialect"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/metadata"
)

// maxWait bounds every wait: back-ends refuse records that come an hour late.
const maxWait = 5 * time.Minute

// Config is the configuration of the processor.
type Config struct {
	// Wait is how long a record waits for its trace; hold may say otherwise.
	Wait time.Duration `mapstructure:"wait"`
	// Hold says which records wait, the first rule that fits. What no rule fits waits,
	// except the first lines of requests, which precede their trace by the whole request.
	Hold []HoldRule `mapstructure:"hold"`
	// MaxTraces is how many traces are remembered.
	MaxTraces int `mapstructure:"max_traces"`
	// MaxSpansPerTrace is how many spans of one trace are looked at.
	MaxSpansPerTrace int `mapstructure:"max_spans_per_trace"`
	// MaxHeldBytes is how many bytes of records may wait.
	MaxHeldBytes int64 `mapstructure:"max_held_bytes"`
	// MaxHeldPerTrace is how many records of one trace may wait.
	MaxHeldPerTrace int `mapstructure:"max_held_per_trace"`
	// MaxBacklogBytes is how many bytes of records that waited may be on their way to the
	// next component before new batches are refused.
	MaxBacklogBytes int64 `mapstructure:"max_backlog_bytes"`
	// TTL is how long a trace is remembered after its last span.
	TTL time.Duration `mapstructure:"ttl"`
	// Linger is how long the engine's own span is waited for where only its caller's came.
	Linger time.Duration `mapstructure:"linger"`
	// SampledFor makes this processor a tap behind a sampler: it tells the log_correlation
	// processor of this id which traces it saw, and does nothing else.
	SampledFor component.ID `mapstructure:"sampled_for"`
	// SampledAfter is how long after a trace is complete it counts as not sampled.
	SampledAfter time.Duration `mapstructure:"sampled_after"`
	// WaitForSampled holds records until sampling is decided, up to wait.
	WaitForSampled bool `mapstructure:"wait_for_sampled"`
	// Precedence says whose number stays where log and trace have one: log or trace.
	Precedence string `mapstructure:"precedence"`
	// RemoveDuplicates removes the attribute from which a trace or span id was taken into the
	// record's own field.
	RemoveDuplicates bool `mapstructure:"remove_duplicates"`
	// RemoveOriginals removes the attributes from which standard fields were made.
	RemoveOriginals bool `mapstructure:"remove_originals"`
	// DefaultModel names the model of calls that name none.
	DefaultModel string `mapstructure:"default_model"`
	// Dialects are those of engines that no built-in dialect knows.
	Dialects customdialect.Config `mapstructure:"dialects"`
	// Config says how ids and fields are found.
	extract.Config `mapstructure:",squash"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// HoldRule says of some records whether they wait. All that is given must fit.
type HoldRule struct {
	// Services are regular expressions over the whole service.name; none: all.
	Services []string `mapstructure:"services"`
	// Parsers are the parsers that read the record; none: all.
	Parsers []string `mapstructure:"parsers"`
	// MinSeverity is the lowest severity: trace, debug, info, warn, error or fatal.
	MinSeverity string `mapstructure:"min_severity"`
	// Line is start, end or any: which line of a request it is.
	Line string `mapstructure:"line"`
	// Hold says whether they wait.
	Hold bool `mapstructure:"hold"`
	// Wait is how long; zero is that of the processor.
	Wait time.Duration `mapstructure:"wait"`

	// prevent unkeyed literal initialization
	_ struct{}
}

const (
	precedenceLog   = "log"
	precedenceTrace = "trace"
)

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	return &Config{
		Wait:             15 * time.Second,
		MaxTraces:        25_000,
		MaxSpansPerTrace: 200,
		MaxHeldBytes:     64 << 20,
		MaxHeldPerTrace:  1000,
		MaxBacklogBytes:  16 << 20,
		TTL:              5 * time.Minute,
		Linger:           5 * time.Second,
		SampledAfter:     45 * time.Second,
		Precedence:       precedenceLog,
		RemoveDuplicates: true,
		Config:           extract.DefaultConfig(),
	}
}

// Unmarshal reports unknown keys with what was likely meant, and all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, cfg.Validate)
}

// Validate reports all mistakes, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	wait := func(key string, d time.Duration) {
		if d <= 0 || d > maxWait {
			fail("%s: must be above 0 and at most %v, but is %v", key, maxWait, d)
		}
	}
	wait("wait", cfg.Wait)
	wait("linger", cfg.Linger)
	wait("sampled_after", cfg.SampledAfter)
	if cfg.TTL < cfg.Linger || cfg.TTL > time.Hour {
		fail("ttl: must be at least linger (%v) and at most 1h, but is %v", cfg.Linger, cfg.TTL)
	}
	atLeast := func(key string, n, least int64) {
		if n < least {
			fail("%s: must be at least %d, but is %d", key, least, n)
		}
	}
	atLeast("max_traces", int64(cfg.MaxTraces), 1)
	atLeast("max_spans_per_trace", int64(cfg.MaxSpansPerTrace), 1)
	atLeast("max_held_per_trace", int64(cfg.MaxHeldPerTrace), 1)
	atLeast("max_held_bytes", cfg.MaxHeldBytes, 64<<10)
	atLeast("max_backlog_bytes", cfg.MaxBacklogBytes, 64<<10)
	if cfg.Precedence != precedenceLog && cfg.Precedence != precedenceTrace {
		fail("precedence: must be log or trace, but is %q", cfg.Precedence)
	}
	if cfg.SampledFor != (component.ID{}) && cfg.SampledFor.Type() != metadata.Type {
		fail("sampled_for: %q is no log_correlation processor; name the one in the logs pipeline", cfg.SampledFor)
	}
	for i := range cfg.Hold {
		for _, err := range cfg.Hold[i].validate(cfg.Regexes) {
			fail("hold::%d::%w", i, err)
		}
	}
	return errors.Join(append(errs, cfg.Check(), cfg.Dialects.Check(componenttest.NewNopTelemetrySettings()))...)
}

func (r *HoldRule) validate(regexes []extract.Regex) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for i, s := range r.Services {
		if _, err := regexp.Compile(s); err != nil {
			fail("services::%d: %q is no regular expression: %w", i, s, err)
		}
	}
	for i, p := range r.Parsers {
		named := func(regex extract.Regex) bool { return p == "regex/"+regex.Name }
		if !slices.Contains(extract.ParserNames(), p) && !slices.ContainsFunc(regexes, named) {
			fail("parsers::%d: there is no parser %q; choose from %s, or regex/<name> of one of regexes", i, p, strings.Join(extract.ParserNames(), ", "))
		}
	}
	if _, ok := severities[r.MinSeverity]; !ok {
		fail("min_severity: must be trace, debug, info, warn, error or fatal, but is %q", r.MinSeverity)
	}
	if !slices.Contains([]string{"", "start", "end", "any"}, r.Line) {
		fail("line: must be start, end or any, but is %q", r.Line)
	}
	if r.Wait < 0 || r.Wait > maxWait {
		fail("wait: must be from 0 (that of the processor) to %v, but is %v", maxWait, r.Wait)
	}
	return errs
}
