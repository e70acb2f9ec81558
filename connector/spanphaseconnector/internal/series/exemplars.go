package series

import "time"

// exemplar links a value to the span it came from.
type exemplar struct {
	value   float64
	at      int64 // Unix nanoseconds; 0: there is none
	traceID [16]byte
	spanID  [8]byte
}

const (
	// numSlowest and numNewest are how many exemplars a series keeps: of its
	// largest values, and of the latest among the others.
	numSlowest, numNewest = 2, 2
	// exemplarAge is for how long: an endpoint that is scraped more seldom
	// than it is flushed must still see them.
	exemplarAge = int64(time.Minute)
)

// exemplars are the newest values of a series and then its largest ones: where
// a reader keeps one of a bucket it is the last, so the largest stays.
type exemplars struct {
	list [numNewest + numSlowest]exemplar
}

// keep keeps e: among the largest values if it is as large as the least of them or that is too
// old, else among the newest. What it displaces may still be one of those.
func (x *exemplars) keep(e *exemplar) {
	least := x.least(e.at - exemplarAge)
	if least.at >= e.at-exemplarAge && e.value < least.value {
		x.keepNewest(e)
		return
	}
	displaced := *least
	*least = *e
	x.keepNewest(&displaced)
}

// keepNewest keeps e if it is as new as the oldest of the newest.
func (x *exemplars) keepNewest(e *exemplar) {
	oldest := &x.list[0]
	if x.list[1].at < oldest.at {
		oldest = &x.list[1]
	}
	if e.at >= oldest.at {
		*oldest = *e
	}
}

// least returns the least of the largest, one from before oldest first.
func (x *exemplars) least(oldest int64) *exemplar {
	a, b := &x.list[numNewest], &x.list[numNewest+1]
	switch {
	case b.at == 0 || b.at < oldest:
		return b
	case a.at == 0 || a.at < oldest:
		return a
	case b.value < a.value:
		return b
	}
	return a
}

func (x *exemplars) empty() bool { return *x == exemplars{} }

// forget drops those from before oldest.
func (x *exemplars) forget(oldest int64) {
	for i := range x.list {
		if x.list[i].at < oldest {
			x.list[i] = exemplar{}
		}
	}
}
