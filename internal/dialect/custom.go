package dialect

import (
	"errors"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// CustomRole is what the spans of a custom dialect are, those that are phases left out.
type CustomRole uint8

// The roles.
const (
	CustomServer  CustomRole = iota // a call, as its engine sees it
	CustomClient                    // a call, as who makes it sees it
	CustomRequest                   // what a user waits for, even if its call is lost
	CustomStage                     // phases alone, beside each other below a request, as in the dialect stages
)

// CustomField is a fact that a custom dialect states under a key of its own.
type CustomField uint8

// The fields.
const (
	FieldModel CustomField = iota
	FieldModelVersion
	FieldInputTokens
	FieldOutputTokens
	FieldCachedTokens
	FieldBatchSize
	FieldFinishReason
	FieldStreaming
	numCustomFields
)

var customKeys = [numCustomFields]key{
	keyModel, keyModelVersion, keyInputTokens, keyOutputTokens, keyCachedTokens, keyBatchSize, keyFinishReason, keyStreaming,
}

// CustomConfig is a dialect that is configured, not built in. What it does not say is read as every
// dialect reads it; durations are not.
type CustomConfig struct {
	Name  string // the value of inference.engine
	Match Boundary
	Role  CustomRole
	// Spans are the phases that are spans, by their names, which may be those beyond the phases that
	// [SubphaseOf] returns.
	Spans map[string]inference.Phase
	// Durations are the attributes that state one.
	Durations []CustomDuration
	// FirstToken is the name of an event at each token or at the first; empty: there is none.
	FirstToken string
	// Fields are attribute keys; empty: those that every dialect reads.
	Fields    CustomFields
	RequestID string
}

// CustomFields are attribute keys by field.
type CustomFields [numCustomFields]string

// CustomDuration is an attribute that states a duration.
type CustomDuration struct {
	Value     Value
	Attribute string
	Seconds   float64 // of the attribute's unit
}

// SubphaseOf returns what stands for a subphase among phases.
func SubphaseOf(s inference.Subphase) inference.Phase { return inside(s) }

// Custom is a dialect made of a configuration. It is safe for concurrent use.
type Custom struct {
	CustomConfig
	id ID
}

// NewCustom makes a dialect. Its name stays known until the process ends.
func NewCustom(cfg CustomConfig) (*Custom, error) {
	id, err := register(cfg.Name)
	return &Custom{cfg, id}, err
}

// customOf returns the first custom dialect that a span is of, nil if there is none.
func (o *Options) customOf(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) *Custom {
	for _, c := range o.Custom {
		if c.Match(rs, ss, span) {
			return c
		}
	}
	return nil
}

// read completes f; false leaves the span to the built-in dialects.
func (c *Custom) read(s *source, f *Facts) bool {
	phase, isPhase := c.Spans[s.name]
	if c.Role == CustomStage && !isPhase {
		return false
	}
	f.Dialect = c.id
	c.readFields(s)
	if isPhase && (c.Role != CustomStage || phase != inference.PhaseInference) {
		f.Part, f.Phase, f.Details = PartInside, phase, plainDetails(s)
		if c.Role == CustomStage {
			f.Part = PartStage
		}
		return true
	}
	d := callDetails(s)
	for _, v := range c.Durations {
		s.state(v.Attribute, unit(v.Seconds), &d.Values, v.Value)
	}
	if c.FirstToken != "" {
		eventTimes(s, f, &d.Values, c.FirstToken)
		if _, streamed := d.Values.Get(ValueTTFT); streamed && d.Result.Streaming == inference.Unknown {
			d.Result.Streaming = inference.Yes
		}
	}
	f.Part, f.Details = PartCall, d
	switch c.Role {
	case CustomServer:
	case CustomClient:
		d.Role = inference.RoleClient
	case CustomRequest:
		f.Part = PartRequest
	case CustomStage:
		f.Part, f.Phase = PartStage, phase
	}
	if v, ok := s.span.Attributes().Get(c.RequestID); ok && c.RequestID != "" {
		d.RequestID = s.named.written(v)
	}
	return true
}

// readFields puts what the dialect's own keys hold where every dialect looks for it.
func (c *Custom) readFields(s *source) {
	for field, name := range c.Fields {
		if name == "" {
			continue
		}
		v, ok := s.span.Attributes().Get(name)
		if !ok || v.Type() == pcommon.ValueTypeEmpty {
			continue
		}
		k := customKeys[field]
		if k == keyModel && namesNone(v) {
			continue
		}
		s.attrs.set |= 1 << k
		s.attrs.values[k] = v
		s.attrs.alias[k] = alias{key: k}
	}
}

// registering is held while a name is registered.
var registering sync.Mutex

// maxDialects is how many an [ID] can tell apart.
const maxDialects = 255

// register returns the id of a name, which it may be the first to have.
func register(name string) (ID, error) {
	registering.Lock()
	defer registering.Unlock()
	if id := idOf(name); id != 0 {
		return id, nil
	}
	known := *names.Load()
	if len(known) >= maxDialects {
		return 0, errors.New("too many names since the collector was started; restart it")
	}
	longer := append(slices.Clip(known), name)
	names.Store(&longer)
	return ID(len(longer)), nil
}
