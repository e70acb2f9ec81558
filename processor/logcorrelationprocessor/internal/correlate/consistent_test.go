package correlate

import (
	"github.com/stretchr/testify/require"
)

// consistent fails unless all lists, indexes and gauges say the same, no limit is exceeded, and
// nothing waits that need not.
func (r *rig) consistent() {
	r.t.Helper()
	r.tracesConsistent()
	r.heldConsistent()
	for n := r.Core.held.front; n != nil; n = n.next {
		require.False(r.t, r.look(&n.value.Query).Final, "it waits for nothing")
	}
}

func (r *rig) tracesConsistent() {
	t, c := r.t, r.Core
	t.Helper()
	require.EqualValues(t, len(c.traces), c.Stats.Traces.Load())
	require.LessOrEqual(t, len(c.traces), c.cfg.MaxTraces)
	require.Equal(t, len(c.traces), c.ages.n)
	spans, keys, nodes := 0, 0, 0
	for id, u := range c.traces {
		require.Equal(t, id, u.id)
		require.LessOrEqual(t, len(u.spans), c.cfg.MaxSpansPerTrace)
		require.LessOrEqual(t, len(u.keys), maxKeysPerTrace)
		require.False(t, u.changed)
		require.NotNil(t, u.age.in)
		require.False(t, u.soon.in != nil && u.complete)
		require.False(t, u.decide.in != nil && (!u.complete || u.sampled != SampledUnknown))
		spans, keys = spans+len(u.spans), keys+len(u.keys)
		for i := range u.keys {
			if n := u.keys[i].node; n != nil {
				require.Same(t, c.names[u.keys[i].key.Text].of(u.keys[i].key.Cut), n.in)
				nodes++
			}
		}
	}
	require.Equal(t, spans, c.spans)
	require.LessOrEqual(t, spans, c.cfg.maxSpans())
	require.EqualValues(t, keys, c.Stats.RequestIDs.Load())
	require.LessOrEqual(t, keys, c.cfg.maxKeys())
	for _, n := range c.names {
		require.Positive(t, n.whole.n+n.cut.n)
		nodes -= n.whole.n + n.cut.n
	}
	require.Zero(t, nodes)
	low := 0
	for half, u := range c.low {
		require.Nil(t, u.lowPrev)
		for ; u != nil; u = u.lowNext {
			require.Equal(t, half, lowHalf(u.id))
			require.Same(t, u, c.traces[u.id])
			low++
		}
	}
	require.Equal(t, len(c.traces), low)
	for n := c.soon.front; n != nil; n = n.next {
		require.Same(t, n.value, c.traces[n.value.id])
	}
	for n := c.stale.front; n != nil; n = n.next {
		require.Same(t, n.value, c.traces[n.value.id])
		require.True(t, n.value.dirty)
	}
	for n := c.decide.front; n != nil; n = n.next {
		require.Same(t, n.value, c.traces[n.value.id])
	}
}

func (r *rig) heldConsistent() {
	t, c := r.t, r.Core
	t.Helper()
	records, bytes, places := 0, int64(0), 0
	for n := c.held.front; n != nil; n = n.next {
		p := n.value
		require.Same(t, p, c.due[p.due])
		records, bytes, places = records+p.Records, bytes+p.bytes, places+len(p.waiting)
		for i := range p.waiting {
			w := &p.waiting[i]
			require.Same(t, &w.in.list, w.node.in)
			require.Same(t, w.in, c.waiting[w.in.key])
		}
	}
	require.Len(t, c.due, c.held.n)
	require.EqualValues(t, records, c.Stats.HeldRecords.Load())
	require.Equal(t, bytes, c.Stats.HeldBytes.Load())
	require.LessOrEqual(t, bytes, c.cfg.MaxHeldBytes)
	for _, l := range c.waiting {
		require.Positive(t, l.n)
		require.LessOrEqual(t, l.records, c.cfg.MaxHeldPerTrace)
		sum := 0
		l.forEach(func(p *Parcel) { sum += p.Records })
		require.Equal(t, sum, l.records)
		places -= l.n
	}
	require.Zero(t, places)
	require.Empty(t, c.out)
}

// empty fails if anything is left.
func (r *rig) empty() {
	r.t.Helper()
	r.consistent()
	c := r.Core
	require.Empty(r.t, c.traces)
	require.Empty(r.t, c.low)
	require.Empty(r.t, c.names)
	require.Empty(r.t, c.waiting)
	require.Zero(r.t, c.held.n+c.soon.n+c.decide.n+c.stale.n+c.ages.n+c.spans+len(c.due))
	require.Zero(r.t, c.Stats.HeldBytes.Load()+c.Stats.HeldRecords.Load()+c.Stats.RequestIDs.Load()+c.Stats.Traces.Load())
}
