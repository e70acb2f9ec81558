package series

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// key identifies a series within its set.
type key struct {
	metric inference.MetricID
	dims   Dims
}

// series is one series.
type series struct {
	key   key
	start time.Time // of its first observation
	last  time.Time // of its latest one
	values
	// sent, with delta temporality, is what the export with number sentBy took.
	sent   *values
	sentBy uint64
}

// ended is a series that is exported once more, to say that it is no more.
type ended struct {
	key    key
	labels Labels
	attrs  pcommon.Map
	start  time.Time
}

// take returns what the export at now writes, in the memory of scratch unless
// it is sent, and whether there is anything.
func (x *series) take(s *Store, now time.Time, last bool, scratch *values) (taken, bool) {
	if s.cfg.Delta {
		if x.count == 0 {
			return taken{}, false
		}
		x.values, *x.sent = *x.sent, x.values
		x.reset()
		x.sentBy = s.exports
		return taken{key: x.key, start: s.exported, values: x.sent}, true
	}
	held := !last && now.Sub(x.start) < s.cfg.Hold
	x.copyTo(scratch)
	if held {
		scratch.hold()
	} else {
		x.exemplars.forget(now.UnixNano() - exemplarAge)
	}
	return taken{key: x.key, start: x.start, values: scratch}, true
}

// taken is a series as an export writes it.
type taken struct {
	key   key
	start time.Time
	*values
}

// hold makes v what it is before anything was counted.
func (v *values) hold() {
	clear(v.buckets)
	*v = values{buckets: v.buckets, exponential: exponential{scale: v.exponential.scale, counts: v.exponential.counts[:0]}}
}
