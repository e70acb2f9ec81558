package extract

import (
	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// wanted collects what cannot be decided before all of a record was read.
type wanted struct {
	program program
	hints   uint8 // of LiteLLM
	// about says that the record is about a whole request, so that a bare
	// duration is the request's.
	about bool
	// keepFirst says that of two values of equal rank the first wins: in text
	// the program's own fields come before what it quotes.
	keepFirst bool
	message   string

	ranks [NumFields]rank
	// keys are the attributes that fields come from, empty for a body.
	keys [NumFields]string

	bare     [numTimes]stated // without a unit
	whole    stated           // of something
	wholeIs  bool             // whole has its unit
	moments  [numMoments]float64
	requests [MaxRequestIDs]candidate
	n        int
}

const numTimes = int(NumFields - firstTime)

// stated is a number that waits for its meaning.
type stated struct {
	number float64
	rank   rank
	key    string
}

// candidate is a request id as it is written.
type candidate struct {
	id     string
	rank   rank
	key    string
	shared bool
}

func (w *wanted) reset() {
	w.program, w.hints, w.about, w.keepFirst, w.message = programUnknown, 0, false, false, ""
	for i := range w.ranks {
		w.ranks[i] = noRank
	}
	for i := range w.bare {
		w.bare[i].rank = noRank
	}
	w.whole.rank, w.wholeIs = noRank, false
	w.moments = [numMoments]float64{}
	w.n = 0
}

// beats reports whether a value of rank r replaces one of rank old.
func (w *wanted) beats(r, old rank) bool {
	return r < old || r == old && r != noRank && !w.keepFirst
}

// addRequest keeps the best request ids, best first, none twice.
func (w *wanted) addRequest(id string, r rank, key string, shared bool) {
	at := w.n
	for i := range w.n {
		if w.requests[i].id == id {
			w.requests[i].shared = w.requests[i].shared && shared
			return
		}
	}
	for at > 0 && r < w.requests[at-1].rank {
		at--
	}
	if at == MaxRequestIDs {
		return
	}
	last := min(w.n, MaxRequestIDs-1)
	copy(w.requests[at+1:last+1], w.requests[at:last])
	w.requests[at] = candidate{id: id, rank: r, key: key, shared: shared}
	w.n = last + 1
}

// text takes the value of a text field.
func (f *Found) text(field Field, s string, r rank, key string) {
	w := &f.wanted
	if s == "" || len(s) > maxText || nothing(s) || !w.beats(r, w.ranks[field]) {
		return
	}
	f.Fields.SetText(field, s)
	w.ranks[field], w.keys[field] = r, key
}

// number takes the value of a number, a time in milliseconds.
func (f *Found) number(field Field, n float64, r rank, key string) {
	w := &f.wanted
	if !validNumber(field, n) {
		f.Dropped++
		return
	}
	if !w.beats(r, w.ranks[field]) || !f.Fields.SetNumber(field, n) {
		return
	}
	w.ranks[field], w.keys[field] = r, key
}

// settle gives their meaning to the values that waited for it.
func (f *Found) settle(rules *ids.Rules) {
	w := &f.wanted
	f.settleBare()
	f.settleMoments()
	// How long a request took is known at its end. An attribute of the
	// standard name may be there because a trace was joined before.
	if f.Class == ClassOther && f.Fields.Known(FieldTotalTime) && w.keys[FieldTotalTime] != fieldNames[FieldTotalTime] {
		f.Class = ClassRequestEnd
	}
	for i := range w.n {
		form := &f.requests[f.numRequests]
		switch rules.Parse(w.requests[i].id, form) {
		case ids.OK:
			if f.numRequests == 0 {
				f.RequestID = form.Written(w.requests[i].id)
				f.Fields.SetText(FieldRequestID, f.RequestID)
				w.keys[FieldRequestID] = w.requests[i].key
			}
			f.shared[f.numRequests] = w.requests[i].shared
			f.numRequests++
		case ids.Invalid:
			f.Invalid++
		case ids.Absent:
		}
	}
}

func (f *Found) settleBare() {
	w := &f.wanted
	for i := range w.bare {
		field := firstTime + Field(i)
		if u := bareUnit(w.program, field); w.bare[i].rank != noRank && u != noUnit {
			f.number(field, w.bare[i].number*float64(u), w.bare[i].rank, w.bare[i].key)
		}
	}
	if w.whole.rank == noRank || !w.about && f.Class != ClassRequestEnd && !f.Fields.Known(FieldOutputTokens) {
		return
	}
	u := milliseconds
	if !w.wholeIs {
		u = bareUnit(w.program, FieldTotalTime)
	}
	if u != noUnit {
		f.number(FieldTotalTime, w.whole.number*float64(u), w.whole.rank, w.whole.key)
	}
}

// settleMoments reads the times of LiteLLM's StandardLoggingPayload. Without
// streaming, the first token comes at the end.
func (f *Found) settleMoments() {
	w := &f.wanted
	start, first, end := w.moments[momentStart], w.moments[momentFirst], w.moments[momentEnd]
	if w.program != programLiteLLM || start <= 0 || end <= start {
		return
	}
	f.number(FieldTotalTime, (end-start)*float64(seconds), noRank-1, "")
	if first > start && first < end {
		f.number(FieldTTFT, (first-start)*float64(seconds), noRank-1, "")
	}
}
