package entry

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// batches puts entries in order: tenants and streams as they came first, the entries of a
// stream by time, those of one time as they came.
func (b *batch) batches() []Batch {
	if len(b.entries) == 0 {
		return nil
	}
	for i := range b.entries {
		b.streams[b.entries[i].stream].entries++
	}
	b.withoutEmpty()
	all := b.texts.Entries(len(b.entries))
	streams := make([]push.Stream, len(b.streams))
	start := 0
	for i := range b.streams {
		s := &b.streams[i]
		streams[i] = push.Stream{Labels: s.stream.labels, Entries: all[start : start : start+s.entries]}
		start += s.entries
	}
	for i := range b.entries {
		s := &streams[b.entries[i].stream]
		s.Entries = append(s.Entries, b.entries[i].Entry)
	}
	for i := range streams {
		b.sort(streams[i].Entries)
		b.reached(b.streams[i].stream, streams[i].Entries)
	}
	return b.byTenant(streams)
}

// withoutEmpty removes the streams of which all entries were dropped.
func (b *batch) withoutEmpty() {
	moved, kept := make([]int32, 0, len(b.streams)), int32(0)
	for i := range b.streams {
		moved = append(moved, kept)
		if b.streams[i].entries > 0 {
			b.streams[kept] = b.streams[i]
			kept++
		}
	}
	if int(kept) == len(b.streams) {
		return
	}
	clear(b.streams[kept:])
	b.streams = b.streams[:kept]
	for i := range b.entries {
		b.entries[i].stream = moved[b.entries[i].stream]
	}
}

func (b *batch) sort(entries []push.Entry) {
	byTime := func(x, y push.Entry) int { return cmp.Compare(x.Time, y.Time) }
	if !slices.IsSortedFunc(entries, byTime) {
		slices.SortStableFunc(entries, byTime)
	}
	if !b.c.cfg.Timestamps.Distinct {
		return
	}
	for i := 1; i < len(entries); i++ {
		if last := entries[i-1].Time; entries[i].Time <= last && last < 1<<63-1 {
			entries[i].Time = last + 1
			b.tally.moved++
		}
	}
}

// reached tells a stream of its newest entry, but for those that Loki refuses as too far ahead.
func (b *batch) reached(s *stream, entries []push.Entry) {
	for _, e := range slices.Backward(entries) {
		if e.Time <= b.clock.newest {
			s.reached(e.Time)
			return
		}
	}
}

// byTenant cuts streams into batches. Mostly all are of one tenant.
func (b *batch) byTenant(streams []push.Stream) []Batch {
	list := make([]Batch, 0, 1)
	single := true
	for i := range b.streams {
		single = single && b.streams[i].tenant == b.streams[0].tenant
	}
	if single {
		list = append(list, Batch{Tenant: b.streams[0].tenant, Streams: streams})
	} else {
		at := map[string]int{}
		for i := range b.streams {
			n, ok := at[b.streams[i].tenant]
			if !ok {
				n = len(list)
				at[b.streams[i].tenant] = n
				list = append(list, Batch{Tenant: b.streams[i].tenant})
			}
			list[n].Streams = append(list[n].Streams, streams[i])
		}
	}
	return list
}
