package push

import (
	"testing"

	"github.com/golang/snappy"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// decoded reads a compressed request with other means than those it was written with, and takes
// nothing that is not in push.proto or in another order than its own.
func decoded(t *testing.T, block []byte) []Stream {
	t.Helper()
	body, err := snappy.Decode(nil, block)
	require.NoError(t, err)
	var streams []Stream
	for _, f := range messageFields(t, body, 1) {
		var s Stream
		for _, f := range messageFields(t, f.data, 2) {
			if f.number == 1 {
				s.Labels = string(f.data)
			} else {
				s.Entries = append(s.Entries, decodedEntry(t, f.data))
			}
		}
		streams = append(streams, s)
	}
	return streams
}

func decodedEntry(t *testing.T, message []byte) Entry {
	t.Helper()
	var at int64
	var line string
	var metadata []Pair
	timed := false
	for _, f := range messageFields(t, message, 3) {
		switch f.number {
		case 1:
			var ts timestamppb.Timestamp
			require.NoError(t, proto.Unmarshal(f.data, &ts))
			// What is valid ends with the year 9999; nanoseconds are in range always.
			require.True(t, 0 <= ts.GetNanos() && ts.GetNanos() < second)
			at = ts.GetSeconds()*second + int64(ts.GetNanos())
			timed = true
		case 2:
			line = string(f.data)
		case 3:
			var p Pair
			for _, f := range messageFields(t, f.data, 2) {
				if f.number == 1 {
					p.Name = string(f.data)
				} else {
					p.Value = string(f.data)
				}
			}
			metadata = append(metadata, p)
		}
	}
	require.True(t, timed)
	return NewEntry(at, line, metadata)
}

type wireField struct {
	number protowire.Number
	data   []byte
}

// messageFields reads a message that has nothing but bytes in fields 1 to last, in this order.
func messageFields(t *testing.T, message []byte, last protowire.Number) []wireField {
	t.Helper()
	var fields []wireField
	before := protowire.Number(1)
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		require.Positive(t, n)
		require.Equal(t, protowire.BytesType, kind)
		require.True(t, before <= number && number <= last)
		before = number
		message = message[n:]
		data, n := protowire.ConsumeBytes(message)
		require.Positive(t, n)
		message = message[n:]
		fields = append(fields, wireField{number, data})
	}
	return fields
}
