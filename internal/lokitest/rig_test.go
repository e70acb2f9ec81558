package lokitest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

// start is what all clocks show at first.
var start = time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)

// rig is a server and its client. The clock stands still unless it is moved.
type rig struct {
	*Server
	t      *testing.T
	clock  *time.Time
	client *http.Client
	header http.Header
}

func newRig(t *testing.T, opts Options) *rig {
	t.Helper()
	clock := start
	opts.Now = func() time.Time { return clock }
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &rig{
		Server: New(t, opts), t: t, clock: &clock, client: client,
		header: http.Header{"Content-Type": {"application/x-protobuf"}},
	}
}

// in is an entry whose time is so far after the start.
func in(after time.Duration, line string, metadata ...Pair) entry {
	return entry{start.Add(after), line, metadata}
}

// push sends streams as protobuf and returns the answer.
func (r *rig) push(streams ...stream) (int, string) {
	r.t.Helper()
	return r.send(snappy.Encode(nil, encode(streams)))
}

func (r *rig) send(body []byte) (int, string) {
	r.t.Helper()
	status, text, err := r.try(body)
	require.NoError(r.t, err)
	return status, text
}

func (r *rig) try(body []byte) (int, string, error) {
	request, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.URL+PushPath, bytes.NewReader(body))
	require.NoError(r.t, err)
	request.Header = r.header.Clone()
	response, err := r.client.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, string(bytes.TrimSuffix(text, []byte("\n"))), err
}

func field(number protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), data)
}

func varint(number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), value)
}

func encode(streams []stream) []byte {
	var request []byte
	for _, s := range streams {
		message := field(1, []byte(s.labels))
		for _, e := range s.entries {
			at := append(varint(1, uint64(e.time.Unix())), varint(2, uint64(e.time.Nanosecond()))...)
			entry := append(field(1, at), field(2, []byte(e.line))...)
			for _, p := range e.metadata {
				entry = append(entry, field(3, append(field(1, []byte(p.Name)), field(2, []byte(p.Value))...))...)
			}
			message = append(message, field(2, entry)...)
		}
		request = append(request, field(1, message)...)
	}
	return request
}
