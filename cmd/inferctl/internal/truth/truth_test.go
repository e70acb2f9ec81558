package truth

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNearestRank(t *testing.T) {
	var s samples
	for i := 100; i >= 1; i-- {
		s.add(float64(i))
	}
	s.add(0)
	s.add(-1)
	assert.Equal(t, Summary{Count: 100, P50: 50, P95: 95, P99: 99, Max: 100, Sum: 5050}, s.summary())
	assert.Equal(t, Summary{Count: 1, P50: 7, P95: 7, P99: 7, Max: 7, Sum: 7}, samples{7}.summary())
	assert.Equal(t, Summary{}, samples(nil).summary())
}

func TestTPOTNeedsTwoTokens(t *testing.T) {
	row := NewBook().Row("m", "v")
	row.AddCall(Call{Outcome: "ok", OutputTokens: 1, Duration: 1, FirstToken: 1})
	row.AddCall(Call{Outcome: "ok", OutputTokens: 5, Duration: 3, FirstToken: 1, Generating: 2})
	m := row.model()
	assert.Equal(t, 1, m.TPOT.Count)
	assert.InDelta(t, 0.5, m.TPOT.P50, 1e-12)
	assert.Equal(t, 2, m.CallTTFT.Count)
}

func TestFailedRequestsHaveNoTTFT(t *testing.T) {
	row := NewBook().Row("m", "v")
	row.AddRequest(Request{Outcome: "ok", FirstToken: 1, HasCall: true})
	row.AddRequest(Request{Outcome: "aborted", FirstToken: 2, HasCall: true})
	assert.Equal(t, Summary{Count: 1, P50: 1, P95: 1, P99: 1, Max: 1, Sum: 1}, row.model().RequestTTFT)
}

func account() *Truth {
	book := NewBook()
	row := book.Row("b", "v1")
	row.AddPhase("queue", 0.25)
	row.AddPhase("receive", 0)
	row.AddRequest(Request{Outcome: "ok", Duration: 2, FirstToken: 0.5, HasCall: true})
	book.Row("a", "v2").AddRequest(Request{Outcome: "rejected", ErrorType: "429"})
	book.Row("a", "v1").AddRequest(Request{Outcome: "ok", HasCall: true})
	return &Truth{Requests: 3, Sent: Sent{Spans: 9}, Models: book.Models()}
}

func TestModelsAreInOrder(t *testing.T) {
	var labels []string
	for _, m := range account().Models {
		labels = append(labels, m.label())
	}
	assert.Equal(t, []string{"a@v1", "a@v2", "b@v1"}, labels)
}

func TestJSONLeavesOutWhatWasNotMeasured(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, account().WriteJSON(&out))
	var back Truth
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	assert.NotContains(t, back.Models[2].Phases, "receive")
	assert.Equal(t, 1, back.Models[2].Phases["queue"].Count)
	assert.Equal(t, map[string]int{"429": 1}, back.Models[1].ErrorTypes)
	assert.Equal(t, 1, back.Models[1].RequestsWithoutCall)
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, account().WriteTable(&out))
	assert.Regexp(t, `b@v1 +queue +1 +250\.00ms`, out.String())
	assert.Regexp(t, `b@v1 +request +1 +2\.00s`, out.String())
	assert.Contains(t, out.String(), "a@v2: 1 requests (1 rejected), 1 without a call")
	assert.Contains(t, out.String(), "sent: 3 requests, 9 spans (0 failed)")
}
