package dialect

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// Scenario: spans that name their request in several keys, in none, or by a placeholder; ids are asked
// for and not.
// Guarantees: the best key counts, for calls and others; what others share is not changed; nobody
// pays who did not ask.
func TestRequestIDs(t *testing.T) {
	call := casetest.VLLM()
	call["gen_ai.request.id"] = "chatcmpl-1"
	td := casetest.Trace(1, nil,
		casetest.Span{ID: 1, Name: "a", Attrs: map[string]any{"correlation_id": "shop-7", "x-request-id": "r-1", "gen_ai.request.model": "m"}},
		casetest.Span{ID: 2, Name: "b", Attrs: map[string]any{"gen_ai.request.model": "m"}},
		casetest.Span{ID: 3, Name: "c", Attrs: map[string]any{"http.request.header.x-request-id": []any{"r-3"}}},
		casetest.Span{ID: 4, Name: "d", Attrs: map[string]any{"request_id": "N/A", "guid:x-request-id": "r-4"}},
		casetest.Span{ID: 5, Name: "e", Attrs: map[string]any{"request_id": 12}},
		casetest.Span{ID: 6, Name: "llm_request", Attrs: call},
		casetest.Span{ID: 7, Name: "f"},
	)
	var asked atomic.Bool
	opts := &Options{RequestIDs: &asked}
	read := func() (ids []string) {
		spans, _ := Read(nil, td, opts)
		require.Len(t, spans, 7)
		for i := range spans {
			id := "none"
			if d := spans[i].Details; d != nil {
				id = d.RequestID
			}
			ids = append(ids, id)
		}
		return ids
	}
	assert.Equal(t, []string{"", "", "none", "none", "none", "", "none"}, read())
	asked.Store(true)
	assert.Equal(t, []string{"r-1", "", "r-3", "r-4", "12", "chatcmpl-1", "none"}, read())
}
