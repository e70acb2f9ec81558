package assembly

import (
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
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
	EvictedTraces atomic.Int64             // traces closed by MaxTraces
	Cycles        atomic.Int64             // chains of parents without an end
	Dropped       [dialect.NumReasons]atomic.Int64
}
