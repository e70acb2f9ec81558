package push

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// batch is a request as of an inference server: few streams, lines of 200 bytes, metadata of 12.
func batch(streams, entries int) []Stream {
	var out []Stream
	for i := range streams {
		s := Stream{Labels: fmt.Sprintf(`{model_name="m%d", service_name="vllm"}`, i)}
		for j := range entries {
			s.Entries = append(s.Entries, NewEntry(
				1_790_000_000_000_000_000+int64(j)*1_234_567,
				fmt.Sprintf("INFO 09-21 12:00:00 [logger.py:42] Finished request chatcmpl-%08x: prompt tokens %d, output tokens %d, %s",
					j*7919, j*13, j*17, strings.Repeat("x", 100)),
				[]Pair{
					{"trace_id", fmt.Sprintf("%032x", j*104729)},
					{"span_id", fmt.Sprintf("%016x", j*1299709)},
					{"request_id", fmt.Sprintf("chatcmpl-%08x", j*7919)},
					{"severity_number", "9"},
					{"severity_text", "INFO"},
					{"input_tokens", "512"},
					{"output_tokens", "128"},
					{"queue_time_ms", "1.5"},
					{"ttft_ms", "48.25"},
					{"total_time_ms", "1520"},
					{"slowest_phase", "decode"},
					{"correlation_state", "joined"},
				},
			))
		}
		out = append(out, s)
	}
	return out
}

func encoded(streams []Stream) []byte {
	return Compress(nil, AppendRequest(nil, streams))
}

func TestAppendRequest(t *testing.T) {
	long := strings.Repeat("long ", 100_000)
	for _, streams := range [][]Stream{
		nil,
		{{Labels: `{a="b"}`, Entries: []Entry{NewEntry(1, "x", nil)}}},
		{{Labels: `{a="b"}`, Entries: []Entry{{}}}},
		{{Entries: []Entry{{Time: math.MinInt64}, {Time: -1}, {Time: -second}, {Time: second}, {Time: second - 1}, {Time: math.MaxInt64}}}},
		{{Labels: long, Entries: []Entry{NewEntry(0, long, []Pair{{"n", long}, {}, {"", "v"}, {"n", ""}})}}},
		{{Labels: `{a="b"}`, Entries: []Entry{NewEntry(0, "\x00\xff\n模型", []Pair{{"模型", "\xff"}})}}},
		batch(3, 50),
	} {
		raw := AppendRequest(nil, streams)
		assert.Len(t, raw, RequestSize(streams))
		assert.Equal(t, streams, decoded(t, Compress(nil, raw)))
	}
}

func TestStreamsWithoutEntriesAreLeftOut(t *testing.T) {
	full := Stream{Labels: `{a="b"}`, Entries: []Entry{NewEntry(0, "x", nil)}}
	streams := []Stream{{Labels: `{c="d"}`}, full, {}}
	assert.Equal(t, []Stream{full}, decoded(t, encoded(streams)))
	assert.Equal(t, RequestSize([]Stream{full}), RequestSize(streams))
}

func TestAppendRequestAppends(t *testing.T) {
	streams := batch(1, 2)
	raw := AppendRequest([]byte("before"), streams)
	assert.Equal(t, "before", string(raw[:6]))
	assert.Equal(t, AppendRequest(nil, streams), raw[6:])
}

func TestSize(t *testing.T) {
	pairs := []Pair{{"ab", "c"}, {"", "defg"}}
	e := NewEntry(1, "12345", pairs)
	assert.Equal(t, 12, e.Size)
	assert.Equal(t, 7, MetadataSize(pairs))
}

func TestShared(t *testing.T) {
	e := Entry{Time: 1, Content: string(AppendLine(nil, "line")), Shared: string(AppendPairs(nil, []Pair{{"a", "b"}})), Size: 6}
	assert.Equal(t, []Stream{{Entries: []Entry{NewEntry(1, "line", []Pair{{"a", "b"}})}}}, decoded(t, encoded([]Stream{{Entries: []Entry{e}}})))
}

// TestReadRequestRefuses is about a queue's file that is not what was written.
func TestReadRequestRefuses(t *testing.T) {
	raw := AppendRequest(nil, batch(1, 2))
	for n := 1; n < len(raw); n++ {
		_, err := ReadRequest(string(raw[:n]))
		require.Error(t, err, n)
	}
	for _, data := range []string{"\x0a\x02\x12\x00", "\x08\x01", "\x0a\x06\x12\x04\x0a\x02\x18\x01", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		_, err := ReadRequest(data)
		require.Error(t, err, "%q", data)
	}
}

func TestCompressReusesItsRoom(t *testing.T) {
	raw := AppendRequest(nil, batch(2, 100))
	room := make([]byte, 3, MaxCompressedSize(len(raw)))
	block := Compress(room, raw)
	assert.Same(t, &room[0], &block[0])
	assert.Equal(t, Compress(nil, raw), block)
	assert.NotEmpty(t, Compress(nil, nil), "an empty request is a block as well")
	assert.Empty(t, decoded(t, Compress(nil, nil)))
}

func TestNoAllocations(t *testing.T) {
	streams := batch(4, 100)
	pairs := []Pair{{"service_name", "vllm"}, {"model_name", "m"}, {"k8s_namespace_name", "n"}}
	raw := AppendRequest(nil, streams)
	block := make([]byte, MaxCompressedSize(len(raw)))
	labels := AppendLabels(nil, pairs)
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		raw = AppendRequest(raw[:0], streams)
		block = Compress(block, raw)
		labels = AppendLabels(labels[:0], pairs)
	}))
	var answer Answer
	assert.Zero(t, testing.AllocsPerRun(20, func() { answer = Classify(204, nil, nil) }))
	assert.Equal(t, Delivered, answer.Kind)
}

// FuzzAppendRequest makes a request of any strings and reads it back.
func FuzzAppendRequest(f *testing.F) {
	f.Add(`{a="b"}`, "line", "name", "value", int64(1_790_000_000_123_456_789), uint8(3), uint8(2))
	f.Add("", "", "", "", int64(-1), uint8(1), uint8(0))
	f.Add("{}", strings.Repeat("a", 300), "\xff", "\x00", int64(math.MinInt64), uint8(200), uint8(200))
	f.Fuzz(func(t *testing.T, labels, line, name, value string, at int64, entries, pairs uint8) {
		// Few of each: more of the same tells nothing new.
		entries, pairs = entries%8, pairs%8
		var streams []Stream
		for i := range 1 + int(entries)%3 {
			s := Stream{Labels: labels[:len(labels)*i/3]}
			for j := range 1 + int(entries) {
				var metadata []Pair
				for k := range int(pairs) {
					metadata = append(metadata, Pair{name[:len(name)*k/int(pairs)], value})
				}
				s.Entries = append(s.Entries, NewEntry(at^int64(j)<<20, line[:len(line)*j/(1+int(entries))], metadata))
			}
			streams = append(streams, s)
		}
		raw := AppendRequest(nil, streams)
		require.Len(t, raw, RequestSize(streams))
		require.Equal(t, streams, decoded(t, Compress(nil, raw)))
		again, err := ReadRequest(string(raw))
		require.NoError(t, err)
		require.Equal(t, streams, again)
	})
}

// BenchmarkAppendRequest writes 1000 entries; an op is a request.
func BenchmarkAppendRequest(b *testing.B) {
	streams := batch(4, 250)
	raw := AppendRequest(nil, streams)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		raw = AppendRequest(raw[:0], streams)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/record")
}

// BenchmarkCompress compresses 1000 entries. gzip is what otlp_http would do.
func BenchmarkCompress(b *testing.B) {
	raw := AppendRequest(nil, batch(4, 250))
	b.Run("snappy", func(b *testing.B) {
		block := make([]byte, MaxCompressedSize(len(raw)))
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			block = Compress(block, raw)
		}
		b.ReportMetric(float64(len(block))/float64(len(raw)), "ratio")
	})
	b.Run("gzip", func(b *testing.B) {
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		b.SetBytes(int64(len(raw)))
		b.ReportAllocs()
		for b.Loop() {
			out.Reset()
			w.Reset(&out)
			_, _ = w.Write(raw)
			_ = w.Close()
		}
		b.ReportMetric(float64(out.Len())/float64(len(raw)), "ratio")
	})
}
