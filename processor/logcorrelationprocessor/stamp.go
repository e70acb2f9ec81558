package logcorrelationprocessor

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
)

// The attributes that only the join writes.
const (
	attrState   = "correlation.state"
	attrAdded   = "correlation.added"
	attrWait    = "correlation.wait_ms"
	attrEngine  = "engine"
	attrSlowest = "slowest_phase"
	attrError   = "trace.error"
	attrSampled = "trace.sampled"
)

// maxAdded is how many attributes one record gets, with its state and its wait.
const maxAdded = int(extract.NumFields) + 7

// disagreement is how far log and trace may differ and still agree.
const disagreement = 0.01

// microsecond is what times in ms are rounded to: a shorter queue would differ by that alone.
const microsecond = 0.001

// stamp writes on a record what is known about it, and how it left. What it adds is listed, so
// that nobody takes it for what the service wrote.
func (c *correlator) stamp(rec plog.LogRecord, a *correlate.Answer, done *tally) {
	attrs := rec.Attributes()
	if a.Trace != [16]byte{} {
		if rec.TraceID().IsEmpty() {
			rec.SetTraceID(a.Trace)
		}
		var names [maxAdded]string
		s := stamper{attrs: attrs, trace: c.cfg.Precedence == precedenceTrace, added: names[:0]}
		attrs.EnsureCapacity(attrs.Len() + maxAdded)
		s.facts(a.Facts)
		s.sampled(sampledNames[a.Sampled])
		if a.Failed || a.Facts != nil && a.Facts.Error {
			s.flag(attrError)
		}
		s.list()
		done.disagreed += s.disagreed
	}
	if v, there := attrs.GetOrPutEmpty(attrState); !there || v.AsString() != joinedBefore || a.State == correlate.StateJoined {
		v.SetStr(a.State.String())
	}
	done.states[a.State]++
}

// joinedBefore is the state of a record that a collector before this one has joined. It stays so
// where this one does not know the trace.
var joinedBefore = correlate.StateJoined.String()

func joinedAlready(rec plog.LogRecord) bool {
	v, ok := rec.Attributes().Get(attrState)
	return ok && v.AsString() == joinedBefore
}

var sampledNames = [...]string{
	correlate.SampledUnknown: "unknown", correlate.SampledTrue: "true", correlate.SampledFalse: "false",
}

// stamper adds attributes that are absent, or replaces them where the trace has precedence.
type stamper struct {
	attrs     pcommon.Map
	trace     bool // the trace has precedence
	added     []string
	disagreed int64
}

func (s *stamper) facts(f *correlate.Facts) {
	if f == nil {
		return
	}
	var v extract.Fields
	v.SetText(extract.FieldRequestID, f.RequestID)
	v.SetText(extract.FieldModelName, f.Model)
	v.SetText(extract.FieldModelVersion, f.ModelVersion)
	setCount(&v, extract.FieldInputTokens, f.InputTokens)
	setCount(&v, extract.FieldOutputTokens, f.OutputTokens)
	setCount(&v, extract.FieldCachedInputTokens, f.CachedTokens)
	setTime(&v, extract.FieldPreprocessTime, f.Phases[inference.PhasePreprocess])
	setTime(&v, extract.FieldQueueTime, f.Phases[inference.PhaseQueue])
	setTime(&v, extract.FieldInferenceTime, f.Phases[inference.PhaseInference])
	setTime(&v, extract.FieldPostprocessTime, f.Phases[inference.PhasePostprocess])
	setTime(&v, extract.FieldTotalTime, f.Total)
	setTime(&v, extract.FieldTTFT, f.TTFT)
	for field := range extract.NumFields {
		s.field(&v, field)
	}
	s.text(attrEngine, f.Engine)
	s.text(attrSlowest, f.SlowestPhase)
}

func setCount(v *extract.Fields, field extract.Field, n inference.Count) {
	if n.Known() {
		v.SetNumber(field, float64(n.N()))
	}
}

func setTime(v *extract.Fields, field extract.Field, m inference.Measure) {
	if m.Known() {
		v.SetNumber(field, math.Round(m.Seconds*1e6)/1e3) // whole microseconds
	}
}

func (s *stamper) field(v *extract.Fields, field extract.Field) {
	if !v.Known(field) {
		return
	}
	if v.Put(s.attrs, field) {
		s.added = append(s.added, field.String())
		return
	}
	there, _ := s.attrs.Get(field.String())
	if field.IsText() {
		// Names and ids are spelled in many ways; only numbers can disagree.
		return
	}
	if own, theirs := number(there), v.Number(field); math.Abs(own-theirs) > max(microsecond, disagreement*math.Max(own, theirs)) {
		s.disagreed++
		if s.trace {
			s.attrs.Remove(field.String())
			v.Put(s.attrs, field)
			s.added = append(s.added, field.String())
		}
	}
}

func number(v pcommon.Value) float64 {
	if v.Type() == pcommon.ValueTypeInt {
		return float64(v.Int())
	}
	return v.Double()
}

func (s *stamper) text(name, value string) {
	if value == "" {
		return
	}
	if v, there := s.attrs.GetOrPutEmpty(name); !there {
		v.SetStr(value)
		s.added = append(s.added, name)
	}
}

// sampled replaces what a collector before the sampler could not know.
func (s *stamper) sampled(name string) {
	if v, there := s.attrs.Get(attrSampled); there && v.AsString() == sampledNames[correlate.SampledUnknown] {
		v.SetStr(name)
		return
	}
	s.text(attrSampled, name)
}

func (s *stamper) flag(name string) {
	if v, there := s.attrs.GetOrPutEmpty(name); !there {
		v.SetBool(true)
		s.added = append(s.added, name)
	}
}

// list writes which attributes were added, behind those of a collector before this one.
func (s *stamper) list() {
	if len(s.added) == 0 {
		return
	}
	v, _ := s.attrs.GetOrPutEmpty(attrAdded)
	if v.Type() != pcommon.ValueTypeSlice {
		v.SetEmptySlice()
	}
	list := v.Slice()
	list.EnsureCapacity(list.Len() + len(s.added))
	for _, name := range s.added {
		list.AppendEmpty().SetStr(name)
	}
}
