package series

import (
	"cmp"
	"slices"
	"sort"
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
	// shown is, by bucket of an explicit histogram, else once, when the exemplar was observed
	// that an export had last.
	shown []int64
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
		x.inOrder(&s.cfg.Metrics[x.key.metric], &scratch.exemplars)
		x.exemplars.forget(now.UnixNano() - exemplarAge)
	}
	return taken{key: x.key, start: x.start, values: scratch}, true
}

// inOrder leaves the exemplars that do not go back behind those of an export before, which
// Prometheus refuses. It keeps those of a bucket of an explicit histogram as a series of its own, and one
// of each scrape: of a bucket the largest stays. Of an exponential histogram all stay that are as
// new, by time.
func (x *series) inOrder(m *Metric, list *exemplars) {
	if x.shown == nil {
		if list.empty() {
			return
		}
		x.shown = make([]int64, max(1, len(x.buckets)))
	}
	var kept exemplars
	var buckets [len(kept.list)]int
	n := 0
	for i := range list.list {
		e := &list.list[i]
		bucket := 0
		if m.Kind == Explicit {
			bucket = sort.SearchFloat64s(m.Bounds, e.value)
		}
		if e.at == 0 || e.at < x.shown[bucket] {
			continue
		}
		same := -1
		if m.Kind == Explicit {
			same = slices.Index(buckets[:n], bucket)
		}
		switch {
		case same < 0:
			kept.list[n], buckets[n] = *e, bucket
			n++
		case kept.list[same].value < e.value:
			kept.list[same] = *e
		}
	}
	for i := range n {
		x.shown[buckets[i]] = max(x.shown[buckets[i]], kept.list[i].at)
	}
	slices.SortFunc(kept.list[:n], func(a, b exemplar) int { return cmp.Compare(a.at, b.at) })
	*list = kept
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
