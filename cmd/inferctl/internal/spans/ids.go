package spans

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"sync"

	"go.opentelemetry.io/otel/trace"
)

// IDs makes trace, span and request ids from the id of a run: the same run id
// gives the same ids, and two runs with one seed do not collide in a back-end.
// It is safe for concurrent use.
type IDs struct {
	run string
	mu  sync.Mutex
	rng *rand.Rand
}

// NewIDs returns the ids of a run.
func NewIDs(run string, seed uint64) *IDs {
	h := fnv.New64a()
	_, _ = h.Write([]byte(run)) // a hash never fails
	return &IDs{run: run, rng: rand.New(rand.NewPCG(h.Sum64(), seed))}
}

// Request is the id of a request by its index.
func (g *IDs) Request(index int) string { return fmt.Sprintf("chatcmpl-%s-%06d", g.run, index) }

// Engine is the id that vLLM gives the same request inside, where several may come with one
// id: the id and eight digits.
func (g *IDs) Engine(index int) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(g.Request(index)))
	return fmt.Sprintf("%s-%08x", g.Request(index), h.Sum32())
}

// NewIDs returns the ids of a new trace and its first span.
func (g *IDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	var id trace.TraceID
	g.mu.Lock()
	binary.BigEndian.PutUint64(id[:8], g.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], g.rng.Uint64()|1) // zero is no id
	g.mu.Unlock()
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID returns the id of a further span.
func (g *IDs) NewSpanID(context.Context, trace.TraceID) trace.SpanID {
	var id trace.SpanID
	g.mu.Lock()
	defer g.mu.Unlock()
	binary.BigEndian.PutUint64(id[:], g.rng.Uint64()|1)
	return id
}
