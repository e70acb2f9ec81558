package lokitest

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang/snappy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func deflated(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 5)
	require.NoError(t, err)
	_, err = w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.Bytes()
}

func TestForms(t *testing.T) {
	raw := encode([]stream{{app, []entry{in(0, "x")}}})
	block := snappy.Encode(nil, raw)
	json := []byte(`{"streams":[{"stream":{"app":"vllm"},"values":[["1796040000000000000","x"]]}]}`)
	for _, row := range []struct {
		name, contentType, encoding string
		body                        []byte
		status                      int
		text                        string
	}{
		{"snappy", "application/x-protobuf", "", block, 204, ""},
		{"snappy by its name", "application/x-protobuf", "snappy", block, 204, ""},
		{"anything is protobuf", "text/plain; charset=utf-8", "", block, 204, ""},
		{"snappy in gzip", "application/x-protobuf", "gzip", zipped(t, block), 204, ""},
		{"JSON", "application/json; charset=utf-8", "", json, 204, ""},
		{"JSON in gzip", "application/json", "gzip", zipped(t, json), 204, ""},
		{"JSON in deflate", "application/json", "deflate", deflated(t, json), 204, ""},

		{"not compressed", "application/x-protobuf", "", raw, 400, "snappy: corrupt input"},
		{"protobuf in gzip without snappy", "application/x-protobuf", "gzip", zipped(t, raw), 400, "snappy: corrupt input"},
		{"no gzip", "application/x-protobuf", "gzip", block, 400, "gzip: invalid header"},
		{"zstd", "application/x-protobuf", "zstd", block, 400, `Content-Encoding "zstd" not supported`},
		{"no type", "", "", block, 400, "mime: no media type"},
		{"no protobuf", "application/x-protobuf", "", snappy.Encode(nil, []byte("hello")), 400, "proto: wrong wireType = 0 for field 13"},
		{"nothing", "application/x-protobuf", "", snappy.Encode(nil, nil), 422, "error at least one valid stream is required for ingestion"},
		{"no JSON", "application/json", "", []byte("x"), 400, "invalid character 'x' looking for beginning of value"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, Options{})
			r.header = http.Header{"Content-Type": {row.contentType}, "Content-Encoding": {row.encoding}}
			status, text := r.send(row.body)
			assert.Equal(t, row.status, status)
			if row.name != "no protobuf" && !strings.HasPrefix(row.text, "snappy:") {
				assert.Equal(t, row.text, text)
			}
			assert.Len(t, r.Records(Query{Contains: "x"}), map[bool]int{true: 1}[status == 204])
			request := r.Requests()[0]
			assert.Equal(t, row.body, request.Body)
			assert.Equal(t, row.status, request.Status)
			assert.Equal(t, status == 400, request.Error != "")
		})
	}
}

func TestJSONIsStrict(t *testing.T) {
	r := newRig(t, Options{})
	r.header.Set("Content-Type", "application/json")
	for value, want := range map[string]int{
		`["1796040000000000000","x",{"a":"b"}]`:      204,
		`["1796040000000000000","x",{}]`:             204,
		`[1796040000000000000,"x"]`:                  400,
		`["1796040000000000000",5]`:                  400,
		`["1796040000000000000","x",{"a":1}]`:        400,
		`["1796040000000000000","x",{"a":null}]`:     400,
		`["1796040000000000000","x",{"a":{}}]`:       400,
		`["1796040000000000000","x",{},{}]`:          400,
		`["1796040000000000000"]`:                    400,
		`["2026-11-30T12:00:00Z","x"]`:               400,
		`["1796040000000000000","x",[["a","b"]]]`:    400,
		`{"ts":"1796040000000000000","line":"line"}`: 400,
	} {
		status, text := r.send([]byte(`{"streams":[{"stream":{"app":"vllm"},"values":[` + value + `]}]}`))
		assert.Equal(t, want, status, "%s: %s", value, text)
	}
	status, _ := r.send([]byte(`{"streams":[{"stream":{"app":5},"values":[]}]}`))
	assert.Equal(t, 400, status)
	assert.Equal(t, "b", must(r.Records(Query{Metadata: map[string]string{"a": "b"}})[0].Get("a")))
}

func must(value string, _ bool) string { return value }

func TestRoutes(t *testing.T) {
	r := newRig(t, Options{})
	for path, want := range map[string]int{"GET /ready": 200, "GET " + PushPath: 405, "POST /otlp/v1/logs": 404, "POST /api/prom/push": 404} {
		method, path, _ := strings.Cut(path, " ")
		request, err := http.NewRequestWithContext(t.Context(), method, r.URL+path, http.NoBody)
		require.NoError(t, err)
		response, err := r.client.Do(request)
		require.NoError(t, err)
		_ = response.Body.Close()
		assert.Equal(t, want, response.StatusCode, path)
	}
}

func TestTenants(t *testing.T) {
	r := newRig(t, Options{Auth: true})
	body := snappy.Encode(nil, encode([]stream{{app, []entry{in(0, "x")}}}))
	for tenant, want := range map[string]struct {
		status int
		text   string
	}{
		"":                       {401, "no org id"},
		"a-Z_0.9!*'()":           {204, ""},
		"a|b":                    {400, "multiple org IDs present"},
		"a/b":                    {400, "tenant ID 'a/b' contains unsupported character '/'"},
		"..":                     {400, "tenant ID is '.' or '..'"},
		strings.Repeat("a", 150): {204, ""},
		strings.Repeat("a", 151): {400, "tenant ID is too long: max 150 characters"},
	} {
		r.header.Set(tenantHeader, tenant)
		status, text := r.send(body)
		assert.Equal(t, want.status, status, tenant)
		assert.Equal(t, want.text, text)
	}
	assert.Len(t, r.Records(Query{Tenant: "a-Z_0.9!*'()"}), 1)
	assert.Len(t, r.Records(Query{}), 2)
	assert.Equal(t, 0, r.Stats().Repeated, "the tenant is part of a request")

	alone := newRig(t, Options{})
	alone.header.Set(tenantHeader, "a/b")
	status, _ := alone.send(body)
	assert.Equal(t, 204, status)
	assert.Len(t, alone.Records(Query{Tenant: "fake"}), 1)
}

func TestViolations(t *testing.T) {
	r := newRig(t, Options{})
	body := encode([]stream{{app, []entry{in(0, "x")}}})
	// A hash, an entry without a time and with what is parsed, and a format.
	body = append(body, field(1, append(append(field(1, []byte(app)), varint(3, 5)...), field(2, append(field(2, []byte("y")), field(4, nil)...))...))...)
	body = append(body, field(2, []byte("loki"))...)
	r.send(snappy.Encode(nil, body))
	assert.Equal(t, []string{"Stream has field 3", "Entry has field 4", "Entry without a timestamp", "PushRequest has field 2"}, r.Requests()[0].Violations)
	assert.Equal(t, 4, r.Stats().Violations)
	for _, wrong := range [][]byte{
		varint(1, 1),
		field(1, varint(1, 1)),
		field(1, varint(2, 1)),
		field(1, field(2, varint(1, 1))),
		field(1, field(2, field(1, field(1, nil)))),
		field(1, field(2, field(1, varint(2, 1_000_000_000)))),
		field(1, field(2, field(3, varint(1, 1)))),
		{0x0a, 0x05},
		{0xff},
		{0x0d, 1, 2, 3, 4},
	} {
		status, _ := r.send(snappy.Encode(nil, wrong))
		assert.Equal(t, 400, status, wrong)
	}
}

func TestScript(t *testing.T) {
	r := newRig(t, Options{})
	push := func(line string) (int, string) { return r.push(stream{app, []entry{in(0, line)}}) }
	r.Script(
		Answer{Status: 503, Body: "away", Header: http.Header{"Retry-After": {"1"}}, Times: 2},
		Answer{Reset: true},
		Answer{Status: 500, Body: "lost", Store: true},
		Answer{Delay: time.Millisecond},
		Answer{Delay: time.Millisecond, Store: true},
	)
	assert.Equal(t, 6, r.Scripted())
	for range 2 {
		status, text := push("x")
		assert.Equal(t, 503, status)
		assert.Equal(t, "away", text)
	}
	_, _, err := r.try(snappy.Encode(nil, encode([]stream{{app, []entry{in(0, "x")}}})))
	require.ErrorContains(t, err, "reset")
	assert.Empty(t, r.Records(Query{}))
	status, _ := push("x")
	assert.Equal(t, 500, status)
	assert.Len(t, r.Records(Query{}), 1, "taken, and not said so")
	for range 2 {
		status, _ = push("x")
		assert.Equal(t, 204, status)
	}
	stats := r.Stats()
	assert.Equal(t, 0, r.Scripted())
	assert.Equal(t, map[int]int{503: 2, 500: 1, 204: 2}, stats.ByStatus)
	assert.Equal(t, 6, stats.Requests)
	assert.Equal(t, 5, stats.Repeated)
	assert.Equal(t, 1, stats.Kept)
	assert.Equal(t, 2, stats.Dropped)
}

func TestAClientThatGoes(t *testing.T) {
	r := newRig(t, Options{})
	r.Script(Answer{Delay: time.Minute, Store: true}, Answer{Delay: time.Minute})
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL+PushPath, bytes.NewReader(snappy.Encode(nil, encode([]stream{{app, []entry{in(0, "x")}}}))))
		require.NoError(t, err)
		request.Header = r.header
		response, err := r.client.Do(request)
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		require.ErrorIs(t, err, context.DeadlineExceeded)
		cancel()
	}
	assert.Len(t, r.Records(Query{}), 1)
	assert.Empty(t, r.Stats().ByStatus)
}

func TestForgetRequests(t *testing.T) {
	r := newRig(t, Options{ForgetRequests: true})
	r.push(stream{app, []entry{in(0, "x")}})
	assert.Empty(t, r.Requests())
	assert.Equal(t, map[int]int{204: 1}, r.Stats().ByStatus)
}
