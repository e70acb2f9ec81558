package assembly

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: callers choose ids with a half that is always the same: zero, as those of 64 bits have, or a
// constant that a hash may use.
// Guarantees: they fall to all shards, so that nobody can fill one.
func TestShardsOfAlikeIDs(t *testing.T) {
	a := New(testConfig(), func(*inference.Request) {})
	for _, half := range []uint64{0, 1, 1 << 63, 0x9e3779b97f4a7c15} {
		for first := range 2 {
			used := map[*shard]bool{}
			for n := range uint64(1000) {
				var id [16]byte
				binary.LittleEndian.PutUint64(id[8*first:], half)
				binary.LittleEndian.PutUint64(id[8-8*first:], n+1)
				used[a.shard(id)] = true
			}
			assert.Len(t, used, len(a.shards), "half %x at %d", half, 8*first)
		}
	}
}
