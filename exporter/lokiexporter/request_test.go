package lokiexporter

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

func someRequest(rng *rand.Rand) *request {
	var tenants []tenant
	for range rng.IntN(3) {
		t := tenant{name: fmt.Sprintf("t%d", rng.IntN(2))}
		for range rng.IntN(3) {
			s := push.Stream{Labels: fmt.Sprintf(`{a="%d"}`, rng.IntN(3))}
			for range rng.IntN(5) {
				s.Entries = append(s.Entries, push.NewEntry(rng.Int64(), strconv.FormatInt(rng.Int64(), 10), []push.Pair{{Name: "k", Value: "v"}}))
			}
			t.streams = append(t.streams, s)
		}
		tenants = append(tenants, t)
	}
	return newRequest(tenants)
}

// lines are the entries of a request by tenant and stream, in order.
func lines(rs ...*request) map[string][]string {
	all := map[string][]string{}
	for _, r := range rs {
		for _, t := range r.tenants {
			for _, s := range t.streams {
				for _, e := range s.Entries {
					all[t.name+s.Labels] = append(all[t.name+s.Labels], e.Content)
				}
			}
		}
	}
	return all
}

// Merging and splitting lose, double and reorder nothing, and keep to the limit.
func TestMergeSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := someRequest(rng), someRequest(rng)
		want := lines(a, b)
		limit, sizer := rng.IntN(6), exporterhelper.RequestSizerTypeItems
		if rng.IntN(2) == 0 {
			limit, sizer = rng.IntN(200), exporterhelper.RequestSizerTypeBytes
		}
		parts, err := a.MergeSplit(t.Context(), limit, sizer, b)
		require.NoError(t, err)
		require.NotEmpty(t, parts)
		got := make([]*request, len(parts))
		for i, p := range parts {
			got[i] = p.(*request)
			assert.Equal(t, newRequest(got[i].tenants).size, p.BytesSize())
			if limit > 0 && p.ItemsCount() > 1 {
				size := p.ItemsCount()
				if sizer == exporterhelper.RequestSizerTypeBytes {
					size = p.BytesSize()
				}
				assert.LessOrEqual(t, size, limit+len(`{a="0"}`), "a part")
			}
		}
		require.Equal(t, want, lines(got...))
	}
}

// A persistent queue gives back what it was given.
func TestEncoding(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		r := someRequest(rng)
		data, err := encoding{}.Marshal(t.Context(), r)
		require.NoError(t, err)
		_, back, err := encoding{}.Unmarshal(data)
		require.NoError(t, err)
		require.Equal(t, lines(r), lines(back.(*request)))
		require.Equal(t, r.ItemsCount(), back.ItemsCount())
		require.Equal(t, newRequest(back.(*request).tenants).size, back.BytesSize())
		if len(data) > 0 {
			_, _, err = encoding{}.Unmarshal(data[:len(data)-1])
			require.Error(t, err, "half a request")
		}
	}
}

// BenchmarkMerge merges requests of one record, as many senders make them; an op is a batch of them.
func BenchmarkMerge(b *testing.B) {
	const requests = 10_000
	entries := []push.Entry{push.NewEntry(1, "line", nil)}
	b.ReportAllocs()
	for b.Loop() {
		all := newRequest([]tenant{{streams: []push.Stream{{Labels: `{a="0"}`, Entries: entries[:1:1]}}}})
		for range requests {
			one := newRequest([]tenant{{streams: []push.Stream{{Labels: `{a="0"}`, Entries: entries[:1:1]}}}})
			if _, err := all.MergeSplit(b.Context(), 0, exporterhelper.RequestSizerTypeBytes, one); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/requests, "ns/request")
}
