// Package customdialect is the configuration of dialects that a site adds for engines of its own. All
// components that read spans share it: what one of them knows of an engine, the others must know, too.
package customdialect

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-inference/otelcol-inference/internal/condition"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Config is the section dialects of a component.
type Config struct {
	// Custom are tried before the built-in dialects, in order.
	Custom []Dialect `mapstructure:"custom"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Dialect says how one engine writes spans. Fields that are empty are read from the keys that every
// dialect knows; durations are not.
type Dialect struct {
	// Name is the value of inference.engine.
	Name string `mapstructure:"name"`
	// Match is an OTTL condition that is true of the engine's spans, of those that are phases, too.
	Match string `mapstructure:"match"`
	// Role says what the spans are, but for those that are phases: server or client for a call,
	// request for what a user waits for, stage for nothing: the phases are beside each other.
	Role string `mapstructure:"role"`
	// Duration is what the engine states as the duration of the call; none: that of the span.
	Duration Duration `mapstructure:"duration"`
	TTFT     Duration `mapstructure:"ttft"`
	TPOT     Duration `mapstructure:"tpot"`
	Phases   []Phase  `mapstructure:"phases"`

	Model             string `mapstructure:"model"`
	ModelVersion      string `mapstructure:"model_version"`
	InputTokens       string `mapstructure:"input_tokens"`
	OutputTokens      string `mapstructure:"output_tokens"`
	CachedInputTokens string `mapstructure:"cached_input_tokens"`
	BatchSize         string `mapstructure:"batch_size"`
	FinishReason      string `mapstructure:"finish_reason"`
	Streaming         string `mapstructure:"streaming"`
	RequestID         string `mapstructure:"request_id"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Duration is where a duration is stated.
type Duration struct {
	Attribute string `mapstructure:"attribute"`
	// Unit is that of the attribute: ns, us, ms or s.
	Unit string `mapstructure:"unit"`
	// Event, of ttft alone, is the name of an event at the first token, or at each.
	Event string `mapstructure:"event"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// Phase is where a phase or subphase is stated: an attribute, or a span.
type Phase struct {
	Phase     string `mapstructure:"phase"`
	Attribute string `mapstructure:"attribute"`
	Unit      string `mapstructure:"unit"`
	// Span is the name of a span that is the phase.
	Span string `mapstructure:"span"`

	// prevent unkeyed literal initialization
	_ struct{}
}

const (
	// maxCustom bounds the dialects: each condition is tried on each span.
	maxCustom = 32
	// maxName is the longest name: it is a label value of many series.
	maxName = 64
)

var roles = map[string]dialect.CustomRole{
	"server": dialect.CustomServer, "client": dialect.CustomClient, "request": dialect.CustomRequest, "stage": dialect.CustomStage,
}

// units are how many seconds each is.
var units = map[string]float64{"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}

// part is what a name of a phase stands for.
type part struct {
	value dialect.Value
	phase inference.Phase
	// stage says that it may be a span beside others, inside that it may be a part of a call.
	stage, inside bool
}

var parts = map[string]part{
	"receive":     {phase: inference.PhaseReceive, stage: true},
	"preprocess":  {dialect.ValuePreprocess, inference.PhasePreprocess, true, true},
	"queue":       {dialect.ValueQueue, inference.PhaseQueue, true, true},
	"inference":   {dialect.ValueInference, inference.PhaseInference, true, true},
	"postprocess": {dialect.ValuePostprocess, inference.PhasePostprocess, true, true},
	"prefill":     {dialect.ValuePrefill, dialect.SubphaseOf(inference.SubphasePrefill), false, true},
	"decode":      {dialect.ValueDecode, dialect.SubphaseOf(inference.SubphaseDecode), false, true},
	"kv_transfer": {dialect.ValueKVTransfer, dialect.SubphaseOf(inference.SubphaseKVTransfer), false, true},
}

const (
	stageParts  = "receive, preprocess, queue, inference or postprocess"
	insideParts = "preprocess, queue, inference, postprocess, prefill, decode or kv_transfer"
)

var namePattern = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Compile makes the dialects of a configuration, which Check has found to be right.
func (c *Config) Compile(set component.TelemetrySettings) (list []*dialect.Custom, err error) {
	for i := range c.Custom {
		d, err := c.Custom[i].compile(set)
		if err != nil {
			return nil, fmt.Errorf("dialects::custom::%d: %w", i, err)
		}
		list = append(list, d)
	}
	return list, nil
}

func (d *Dialect) compile(set component.TelemetrySettings) (*dialect.Custom, error) {
	match, err := condition.OfSpan(d.Match, set)
	if err != nil {
		return nil, err
	}
	cfg := dialect.CustomConfig{
		Name: d.Name, Match: dialect.Boundary(match), Role: roles[d.Role], Spans: map[string]inference.Phase{},
		FirstToken: d.TTFT.Event, Fields: d.fields(), RequestID: d.RequestID,
	}
	state := func(v dialect.Value, attribute, unit string) {
		if attribute != "" {
			cfg.Durations = append(cfg.Durations, dialect.CustomDuration{Value: v, Attribute: attribute, Seconds: units[unit]})
		}
	}
	state(dialect.ValueE2E, d.Duration.Attribute, d.Duration.Unit)
	state(dialect.ValueTTFT, d.TTFT.Attribute, d.TTFT.Unit)
	state(dialect.ValueTPOT, d.TPOT.Attribute, d.TPOT.Unit)
	for _, p := range d.Phases {
		state(parts[p.Phase].value, p.Attribute, p.Unit)
		if p.Span != "" {
			cfg.Spans[p.Span] = parts[p.Phase].phase
		}
	}
	return dialect.NewCustom(cfg)
}

func (d *Dialect) fields() (keys dialect.CustomFields) {
	keys[dialect.FieldModel], keys[dialect.FieldModelVersion] = d.Model, d.ModelVersion
	keys[dialect.FieldInputTokens], keys[dialect.FieldOutputTokens] = d.InputTokens, d.OutputTokens
	keys[dialect.FieldCachedTokens], keys[dialect.FieldBatchSize] = d.CachedInputTokens, d.BatchSize
	keys[dialect.FieldFinishReason], keys[dialect.FieldStreaming] = d.FinishReason, d.Streaming
	return keys
}

// Check reports every mistake, each with its key and the fix. It is not called Validate, which the
// collector would call by itself: its errors name the keys from the component's own down.
func (c *Config) Check(set component.TelemetrySettings) error {
	var errs []error
	if len(c.Custom) > maxCustom {
		errs = append(errs, fmt.Errorf("dialects::custom: must be at most %d (got %d): each condition is tried on each span",
			maxCustom, len(c.Custom)))
	}
	for i := range c.Custom {
		for _, err := range c.Custom[i].check(set) {
			errs = append(errs, fmt.Errorf("dialects::custom::%d::%w", i, err))
		}
	}
	return errors.Join(errs...)
}

// mistakes collects errors.
type mistakes []error

func (m *mistakes) add(format string, args ...any) { *m = append(*m, fmt.Errorf(format, args...)) }

func (d *Dialect) check(set component.TelemetrySettings) (m mistakes) {
	if len(d.Name) > maxName || !namePattern.MatchString(d.Name) {
		m.add("name: must be a word of at most %d lower-case letters, digits and _, such as my_engine (got %q)", maxName, d.Name)
	}
	if d.Match == "" {
		m.add(`match: must be an OTTL condition on the engine's spans, such as instrumentation_scope.name == "my.engine"`)
	} else if _, err := condition.OfSpan(d.Match, set); err != nil {
		m.add(`match: must be an OTTL condition on spans, such as instrumentation_scope.name == "my.engine" (got %q: %w)`, d.Match, err)
	}
	role, known := roles[d.Role]
	if !known {
		m.add("role: must be server, client, request or stage (got %q)", d.Role)
	}
	d.Duration.check("duration", &m)
	d.TTFT.check("ttft", &m)
	d.TPOT.check("tpot", &m)
	if d.Duration.Event != "" {
		m.add("duration::event: only ttft has one; use attribute and unit")
	}
	if d.TPOT.Event != "" {
		m.add("tpot::event: only ttft has one; use attribute and unit")
	}
	if known {
		d.checkRole(role, &m)
	}
	d.checkPhases(role, &m)
	return m
}

func (d *Duration) check(key string, m *mistakes) {
	if d.Attribute != "" && d.Event != "" {
		m.add("%s: has an attribute and an event; use one of them", key)
	}
	checkUnit(key, d.Attribute, d.Unit, m)
}

func checkUnit(key, attribute, unit string, m *mistakes) {
	if _, known := units[unit]; attribute != "" && !known {
		m.add("%s::unit: must be ns, us, ms or s (got %q)", key, unit)
	}
	if attribute == "" && unit != "" {
		m.add("%s::unit: is that of an attribute; set attribute, or leave it out", key)
	}
}

// checkRole reports what is said that spans of the role cannot have.
func (d *Dialect) checkRole(role dialect.CustomRole, m *mistakes) {
	stated := func(key string, s *Duration, instead string) {
		if *s != (Duration{}) {
			m.add("%s: role %s has none, %s", key, d.Role, instead)
		}
	}
	switch role {
	case dialect.CustomRequest:
		stated("duration", &d.Duration, "it is that of the span")
		stated("tpot", &d.TPOT, "it is that of its call")
		if len(d.Phases) > 0 {
			m.add("phases: role request has none, they are those of its calls; use role server or stage")
		}
	case dialect.CustomStage:
		stated("duration", &d.Duration, "it is that of the span")
		if len(d.Phases) == 0 {
			m.add("phases: role stage must have some, each with the name of its span")
		}
	case dialect.CustomServer, dialect.CustomClient:
	}
}

func (d *Dialect) checkPhases(role dialect.CustomRole, m *mistakes) {
	stage := role == dialect.CustomStage
	for i := range d.Phases {
		p, key := &d.Phases[i], fmt.Sprintf("phases::%d", i)
		of, known := parts[p.Phase]
		switch {
		case stage && (!known || !of.stage):
			m.add("%s::phase: must be %s with role stage (got %q)", key, stageParts, p.Phase)
		case !stage && (!known || !of.inside):
			m.add("%s::phase: must be %s (got %q); what lies beside a call needs role stage", key, insideParts, p.Phase)
		}
		checkUnit(key, p.Attribute, p.Unit, m)
		switch {
		case (p.Attribute == "") == (p.Span == ""):
			m.add("%s: must have either an attribute with its unit, or the name of a span", key)
		case stage && p.Attribute != "":
			m.add("%s::attribute: role stage has its phases in spans; use span", key)
		}
		same := func(other Phase) bool {
			return p.Span != "" && other.Span == p.Span || p.Attribute != "" && other.Attribute != "" && other.Phase == p.Phase
		}
		if first := slices.IndexFunc(d.Phases, same); first < i && first >= 0 {
			m.add("%s: says again what phases::%d says, %s; remove one", key, first, strings.TrimSpace(p.Phase+" "+p.Span))
		}
	}
}
