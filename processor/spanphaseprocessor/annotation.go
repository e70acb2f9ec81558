package spanphaseprocessor

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// annotation is what is written on one span, with durations in seconds.
type annotation struct {
	identity    inference.Identity
	phases      [inference.NumPhases]inference.Measure
	requestTTFT inference.Measure
	role        string // of a call; empty on a request that is none
	buffered    bool
	callTTFT    inference.Measure
	callTPOT    inference.Measure
}

// ofRequest annotates a request span: the phases of all its calls together, as
// its user waited for each. Where calls went on side by side there is no such
// sum.
func ofRequest(r *inference.Request) annotation {
	n := annotation{identity: r.Identity, phases: r.Phases, requestTTFT: r.TTFT}
	if sideBySide(r.Calls) {
		return n
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		if c.Role != inference.RoleServer {
			continue
		}
		for p := range inference.NumPhases {
			n.phases[p] = n.phases[p].Plus(c.Phases[p])
		}
	}
	return n
}

// sideBySide reports whether two server calls overlap. Calls are by start.
func sideBySide(calls []inference.Call) bool {
	var end float64
	for i := range calls {
		c := &calls[i]
		if c.Role != inference.RoleServer {
			continue
		}
		start := float64(c.Start-calls[0].Start) / 1e9
		if start < end {
			return true
		}
		end = max(end, start+c.Duration.Seconds)
	}
	return false
}

// ofCall annotates a call's span.
func ofCall(c *inference.Call) annotation {
	n := annotation{identity: c.Identity, phases: c.Phases}
	n.addCall(c)
	return n
}

// addCall adds what only a call has.
func (n *annotation) addCall(c *inference.Call) {
	n.role, n.buffered = c.Role.String(), c.Buffered
	n.callTTFT, n.callTPOT = c.TTFT, c.TPOT
}

// write adds the annotation to attributes. It never changes one that is there.
// Where somebody else wrote inference. attributes it writes nothing and returns
// false: a reader could not tell theirs from ours.
func (n *annotation) write(to pcommon.Map) bool {
	if foreign(to) {
		return false
	}
	w := writer{to}
	if _, ours := to.Get(inference.AttrAnnotationVersion); !ours {
		to.PutInt(inference.AttrAnnotationVersion, inference.AnnotationVersion)
	}
	if n.identity.Model != inference.UnknownModel {
		w.text(inference.AttrModelName, n.identity.Model)
	}
	w.text(inference.AttrModelVersion, n.identity.ModelVersion)
	w.text(inference.AttrEngine, n.identity.Engine)
	w.text(inference.AttrRole, n.role)
	if _, there := to.Get(inference.AttrBuffered); n.buffered && !there {
		to.PutBool(inference.AttrBuffered, true)
	}
	for p := range inference.NumPhases {
		w.seconds(inference.PhaseDurationAttr(p), n.phases[p])
		if m := n.phases[p]; m.Known() && m.Provenance != inference.Measured {
			w.text(inference.PhaseProvenanceAttr(p), m.Provenance.String())
		}
	}
	w.seconds(inference.AttrRequestTTFT, n.requestTTFT)
	w.seconds(inference.AttrCallTTFT, n.callTTFT)
	w.seconds(inference.AttrCallTPOT, n.callTPOT)
	if p, ok := inference.SlowestPhase(&n.phases); ok {
		w.text(inference.AttrSlowestPhase, p.String())
	}
	return true
}

// foreign reports whether there are inference. attributes that are not ours.
func foreign(m pcommon.Map) bool {
	if _, ours := m.Get(inference.AttrAnnotationVersion); ours {
		return false
	}
	for name := range m.All() {
		if strings.HasPrefix(name, "inference.") {
			return true
		}
	}
	return false
}

// writer adds attributes that are known and not there yet.
type writer struct{ to pcommon.Map }

func (w writer) text(name, value string) {
	if _, there := w.to.Get(name); !there && value != "" {
		w.to.PutStr(name, value)
	}
}

func (w writer) seconds(name string, m inference.Measure) {
	if _, there := w.to.Get(name); !there && m.Known() {
		w.to.PutDouble(name, m.Seconds)
	}
}
