package truth

import (
	"cmp"
	"slices"
)

// Book collects the truth while spans are written. It is not safe for
// concurrent use.
type Book struct {
	rows map[key]*Row
}

type key struct{ name, version string }

// NewBook returns an empty book.
func NewBook() *Book { return &Book{rows: map[key]*Row{}} }

// Row is the page of the book for one model and version.
func (b *Book) Row(name, version string) *Row {
	k := key{name, version}
	if b.rows[k] == nil {
		b.rows[k] = &Row{
			outcomes: map[string]int{}, callOutcomes: map[string]int{},
			errorTypes: map[string]int{}, finishReasons: map[string]int{},
			phases: map[string]*samples{}, subphases: map[string]*samples{},
		}
	}
	return b.rows[k]
}

// Models are the rows in order of name and version.
func (b *Book) Models() []Model {
	models := make([]Model, 0, len(b.rows))
	for k, r := range b.rows {
		m := r.model()
		m.Name, m.Version = k.name, k.version
		models = append(models, m)
	}
	slices.SortFunc(models, func(x, y Model) int {
		return cmp.Or(cmp.Compare(x.Name, y.Name), cmp.Compare(x.Version, y.Version))
	})
	return models
}

// Row collects what was sent for one model.
type Row struct {
	requests, requestsWithoutCall, calls               int
	inputTokens, outputTokens                          int
	outcomes, callOutcomes, errorTypes, finishReasons  map[string]int
	requestDuration, callDuration                      samples
	requestFirstToken, callFirstToken, perOutputTokens samples
	phases, subphases                                  map[string]*samples
}

func (r *Row) model() Model {
	return Model{
		Requests: r.requests, Outcomes: r.outcomes, RequestsWithoutCall: r.requestsWithoutCall,
		Calls: r.calls, CallOutcomes: r.callOutcomes, ErrorTypes: r.errorTypes, FinishReasons: r.finishReasons,
		InputTokens: r.inputTokens, OutputTokens: r.outputTokens,
		RequestDuration: r.requestDuration.summary(), CallDuration: r.callDuration.summary(),
		RequestTTFT: r.requestFirstToken.summary(), CallTTFT: r.callFirstToken.summary(),
		TPOT:   r.perOutputTokens.summary(),
		Phases: summaries(r.phases), Subphases: summaries(r.subphases),
	}
}

func summaries(sets map[string]*samples) map[string]Summary {
	out := make(map[string]Summary, len(sets))
	for name, s := range sets {
		if len(*s) > 0 {
			out[name] = s.summary()
		}
	}
	return out
}
