package correlate

import (
	"container/heap"
	"time"
)

// waitKey is what a parcel waits for: a trace, the lower half of its id, or a request id.
type waitKey struct {
	trace [16]byte
	low   bool
	key   string
}

// waitList is the parcels that wait for the same, the oldest first.
type waitList struct {
	list[*Parcel]
	key     waitKey
	records int
}

// waiter is the place of a parcel in a waitList.
type waiter struct {
	node node[*Parcel]
	in   *waitList
}

// forEach calls f for each parcel. f may let its parcel go, but no other.
func (l *waitList) forEach(f func(*Parcel)) {
	if l == nil {
		return
	}
	for n := l.front; n != nil; {
		next := n.next
		f(n.value)
		n = next
	}
}

// waitKeys is what a record waits for, each once.
func waitKeys(q *Query) []waitKey {
	if q.Trace != [16]byte{} {
		if q.Low64 {
			return []waitKey{{trace: lowOnly(q.Trace), low: true}}
		}
		return []waitKey{{trace: q.Trace}}
	}
	keys := make([]waitKey, 0, len(q.Keys))
next:
	for i, k := range q.Keys {
		for _, before := range q.Keys[:i] {
			if before.Text == k.Text {
				continue next
			}
		}
		keys = append(keys, waitKey{key: k.Text})
	}
	return keys
}

// keep makes room for a parcel and holds it.
func (c *Core) keep(now time.Time, p *Parcel) {
	for c.Stats.HeldBytes.Load()+p.bytes > c.cfg.MaxHeldBytes {
		c.evict(now, c.held.front.value, CauseMaxHeldBytes)
	}
	keys := waitKeys(&p.Query)
	p.waiting = make([]waiter, len(keys))
	for i, k := range keys {
		for l := c.waiting[k]; l != nil && l.records+p.Records > c.cfg.MaxHeldPerTrace; l = c.waiting[k] {
			c.evict(now, l.front.value, CauseMaxHeldPerTrace)
		}
		l := c.waiting[k]
		if l == nil {
			l = &waitList{key: k}
			c.waiting[k] = l
		}
		w := &p.waiting[i]
		w.in, w.node.value = l, p
		l.append(&w.node)
		l.records += p.Records
	}
	p.age.value = p
	c.held.append(&p.age)
	heap.Push(&c.due, p)
	c.Stats.HeldRecords.Add(int64(p.Records))
	c.Stats.HeldBytes.Add(p.bytes)
}

// answer is what is known about a parcel that leaves: if that is nothing, what was known when
// its trace was forgotten.
func (c *Core) answer(p *Parcel) Answer {
	a := c.look(&p.Query)
	if a.State == StateUnmatched && p.Answer.Trace != [16]byte{} {
		a = p.Answer
		a.Final = false
	}
	return a
}

// evict lets a parcel go before its time.
func (c *Core) evict(now time.Time, p *Parcel, cause Cause) {
	a := c.answer(p)
	a.State = StateEvicted
	c.leave(now, p, a, cause)
}

// leave hands a parcel out, whether it was held or not.
func (c *Core) leave(now time.Time, p *Parcel, a Answer, cause Cause) {
	p.Answer, p.Cause, p.Left = a, cause, now
	c.Stats.Released[cause].Add(int64(p.Records))
	c.out = append(c.out, p)
	if p.age.in == nil {
		return
	}
	remove(&p.age)
	heap.Remove(&c.due, p.due)
	for i := range p.waiting {
		w := &p.waiting[i]
		remove(&w.node)
		w.in.records -= p.Records
		if w.in.n == 0 {
			delete(c.waiting, w.in.key)
		}
	}
	p.waiting = nil
	c.Stats.HeldRecords.Add(-int64(p.Records))
	c.Stats.HeldBytes.Add(-p.bytes)
}
