package series

import "sort"

// values is what one series counted.
type values struct {
	count       uint64
	sum         float64
	buckets     []uint64 // of an explicit histogram
	exponential exponential
	exemplars   exemplars
}

func newValues(m *Metric) values {
	v := values{exponential: exponential{scale: maxScale}}
	if m.Kind == Explicit {
		v.buckets = make([]uint64, len(m.Bounds)+1)
	}
	return v
}

// record takes in the value of e.
func (v *values) record(m *Metric, e *exemplar) {
	v.count++
	v.sum += e.value
	switch m.Kind {
	case Explicit:
		v.buckets[sort.SearchFloat64s(m.Bounds, e.value)]++
	case Exponential:
		v.exponential.record(e.value, m.MaxSize)
	default:
		return
	}
	v.exemplars.keep(e)
}

// copyTo makes to a copy, in the memory that it has.
func (v *values) copyTo(to *values) {
	to.buckets = append(to.buckets[:0], v.buckets...)
	to.exponential.counts = append(to.exponential.counts[:0], v.exponential.counts...)
	buckets, counts := to.buckets, to.exponential.counts
	*to = *v
	to.buckets, to.exponential.counts = buckets, counts
}

// add adds what another series of the same metric counted before.
func (v *values) add(m *Metric, before *values) {
	v.count += before.count
	v.sum += before.sum
	for i, n := range before.buckets {
		v.buckets[i] += n
	}
	v.exponential.add(&before.exponential, m.MaxSize)
	for i := range before.exemplars.list {
		if e := &before.exemplars.list[i]; e.at != 0 {
			v.exemplars.keep(e)
		}
	}
}

// reset makes v empty and keeps its memory.
func (v *values) reset() {
	clear(v.buckets)
	*v = values{buckets: v.buckets, exponential: exponential{scale: maxScale, counts: v.exponential.counts[:0]}}
}
