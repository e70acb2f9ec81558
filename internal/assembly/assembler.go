package assembly

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// numShards divides traces among locks. Trace ids are random, so shards fill
// evenly; more would only make each one's part of the limits coarser.
const numShards = 8

// Sink takes a request that is closed. The request is there until the sink
// returns, [inference.Request.Clone] for longer. It is called without locks
// held, from whatever goroutine calls the assembler.
type Sink func(*inference.Request)

// Assembler puts requests together from spans that arrive over time. It has no
// goroutine and no clock: the caller brings both. It is safe for concurrent
// use.
type Assembler struct {
	cfg    Config
	stats  Stats
	shards []*shard
	sink   Sink
	seeds  [2]uint64 // of the halves of ids: nobody outside may choose a shard
}

// New returns an assembler that hands closed requests to sink.
func New(cfg Config, sink Sink) *Assembler {
	a := &Assembler{cfg: cfg, sink: sink, seeds: [2]uint64{rand.Uint64(), rand.Uint64()}}
	n := max(1, min(numShards, cfg.MaxTraces, cfg.MaxTombstones, cfg.MaxSpans))
	for range n {
		a.shards = append(a.shards, newShard(&a.cfg, &a.stats, n))
	}
	return a
}

// Stats returns the assembler's numbers, to be read at any time.
func (a *Assembler) Stats() *Stats { return &a.stats }

// Add takes spans that arrived at now.
func (a *Assembler) Add(now time.Time, spans []dialect.Span) {
	var closed []*inference.Request
	for len(spans) > 0 {
		// Spans of one trace mostly come together: one lock for a run of them.
		run := 1
		for run < len(spans) && run < perLock && spans[run].TraceID == spans[0].TraceID {
			run++
		}
		s := a.shard(spans[0].TraceID)
		s.mu.Lock()
		for i := range spans[:run] {
			s.add(now, &spans[i], run-i)
		}
		closed = s.take(closed[:0])
		s.mu.Unlock()
		a.emit(closed)
		spans = spans[run:]
	}
}

// perLock is how many spans are settled or taken in while a shard is locked:
// others must not wait for all of them.
const perLock = 512

// Advance closes what is due at now.
func (a *Assembler) Advance(now time.Time) {
	var closed []*inference.Request
	for _, s := range a.shards {
		for more := true; more; {
			s.mu.Lock()
			more = s.advance(now, perLock)
			closed = s.take(closed[:0])
			s.mu.Unlock()
			a.emit(closed)
		}
	}
}

// Drain closes everything.
func (a *Assembler) Drain(now time.Time) {
	var closed []*inference.Request
	for _, s := range a.shards {
		for more := true; more; {
			s.mu.Lock()
			for range perLock / 8 {
				oldest := s.open.oldest(nil)
				if more = oldest != nil; !more {
					break
				}
				s.close(now, oldest, ReasonShutdown)
			}
			closed = s.take(closed[:0])
			s.mu.Unlock()
			a.emit(closed)
		}
	}
}

func (a *Assembler) emit(closed []*inference.Request) {
	for _, r := range closed {
		a.sink(r)
		recycle(r)
	}
}

func (a *Assembler) shard(id [16]byte) *shard {
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(id[:8])^a.seeds[0], binary.LittleEndian.Uint64(id[8:])^a.seeds[1])
	return a.shards[(hi^lo)%uint64(len(a.shards))]
}
