package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Note is our own annotation of a call, as a tier before this one wrote it. It
// may know more than the span: what was beside it in its batch there.
type Note struct {
	Phases [inference.NumPhases]inference.Measure
	TTFT   inference.Measure
	TPOT   inference.Measure
}

// readNote returns the annotation of a call, nil where there is none. Attributes
// in our namespace without the version are somebody else's.
func readNote(s *source) (n *Note, role inference.Role) {
	version, ok := number(s.attrs.value(keyAnnotation))
	attrs := s.span.Attributes()
	side, isCall := attrs.Get(inference.AttrRole)
	if !ok || version < 1 || !isCall {
		return nil, 0
	}
	if side.AsString() == inference.RoleClient.String() {
		role = inference.RoleClient
	}
	n = &Note{
		TTFT: noted(attrs, inference.AttrCallTTFT, inference.Measured),
		TPOT: noted(attrs, inference.AttrCallTPOT, inference.Derived),
	}
	for p := range inference.NumPhases {
		provenance := inference.Measured
		if v, ok := attrs.Get(inference.PhaseProvenanceAttr(p)); ok {
			provenance = inference.ParseProvenance(v.AsString())
		}
		n.Phases[p] = noted(attrs, inference.PhaseDurationAttr(p), provenance)
	}
	return n, role
}

// note adds an annotation to what the span itself says: the model only where it
// names none.
func (d *Details) note(s *source, n *Note) {
	d.Note = n
	if n == nil || d.Model != "" {
		return
	}
	if v, ok := s.span.Attributes().Get(inference.AttrModelName); ok {
		if !namesNone(v) {
			d.Model = s.attrs.texts.own(strings.TrimSpace(v.Str()))
		}
	}
	if v, ok := s.span.Attributes().Get(inference.AttrModelVersion); ok && d.ModelVersion == "" {
		d.ModelVersion = s.attrs.texts.own(v.AsString())
	}
}

func noted(attrs pcommon.Map, key string, provenance inference.Provenance) inference.Measure {
	v, ok := attrs.Get(key)
	if !ok || provenance == inference.Absent {
		return inference.Measure{}
	}
	seconds, _ := number(v)
	return inference.NewMeasure(seconds, provenance)
}

// readAnnotation reads a call that only its annotation tells, for the engine's
// own attributes were removed on the way.
func readAnnotation(s *source, f *Facts) bool {
	if !s.attrs.has(keyAnnotation) {
		return false
	}
	n, role := readNote(s)
	if n == nil {
		return false
	}
	d := callDetails(s)
	d.Role = role
	d.note(s, n)
	if engine, ok := s.span.Attributes().Get(inference.AttrEngine); ok {
		d.Engine = idOf(engine.AsString())
	}
	f.Part, f.Details = PartCall, d
	return true
}
