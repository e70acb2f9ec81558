package assembly

import (
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// EvictedKind tells what an evicted trace held.
type EvictedKind uint8

// The kinds.
const (
	EvictedOther     EvictedKind = iota // no call and no phase: nothing was lost
	EvictedInference                    // a request, observed before its time
)

// Stats are the assembler's numbers about itself. All are totals since it was
// made, but OpenTraces and Tombstones, which are now.
type Stats struct {
	OpenTraces    atomic.Int64
	Tombstones    atomic.Int64
	OpenSpans     atomic.Int64
	Closed        [NumReasons]atomic.Int64 // requests handed on
	Incomplete    atomic.Int64             // of which without a request span
	Late          atomic.Int64             // requests completed after they were closed
	Duplicates    atomic.Int64             // spans that had come before
	Refused       atomic.Int64             // spans beyond MaxSpansPerTrace
	Evicted       [2]atomic.Int64          // traces closed by MaxTraces or MaxSpans, by EvictedKind
	Disagreements atomic.Int64             // measures in which an annotation contradicts what was measured
	Cycles        atomic.Int64             // chains of parents without an end
	Dropped       [dialect.NumReasons]atomic.Int64
}
