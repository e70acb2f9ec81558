package push

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"
)

const (
	tooFarBehind = `entry with timestamp 2026-10-07 01:35:32.405 +0000 UTC ignored, reason: 'entry too far behind, entry timestamp is: 2026-10-07T01:35:32Z, oldest acceptable timestamp is: 2026-10-07T03:23:59Z',` + "\n"
	streamRate   = `Per stream rate limit exceeded (limit: 3MB/sec) while attempting to ingest for stream '{a="b"}' totaling 100B, consider splitting a stream via additional labels or contact your Loki administrator to see if the limit can be increased`
	tooOld       = `entry for stream '{a="b"}' has timestamp too old: 2026-09-01T00:00:00Z, oldest acceptable timestamp is: 2026-09-23T00:00:00Z`
	poison       = `normalization for label name "模型" resulted in invalid name "_"`
)

// statusBody is an error as google.rpc.Status.
func statusBody(message string) string {
	raw := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), 3)
	return string(protowire.AppendString(protowire.AppendTag(raw, 2, protowire.BytesType), message))
}

func TestClassify(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		body   string
		kind   Kind
		cause  Cause
		// ignored out of total.
		ignored, total int
		streams        []string
	}{
		{name: "delivered", status: 204, kind: Delivered},
		{name: "delivered, with a body", status: 200, body: "ok", kind: Delivered},
		{name: "accepted by others", status: 202, kind: Delivered},

		{name: "blocked", status: 260, body: "ingestion blocked for user fake until '2026-10-07T01:35:32Z' with status code '260'\n", kind: Blocked, cause: CauseBlocked},
		{name: "blocked without a word", status: 260, kind: Blocked, cause: CauseBlocked},
		{name: "blocked with another code", status: 456, body: "ingestion blocked for user fake until '2026-10-07T01:35:32Z' with status code '456'", kind: Blocked, cause: CauseBlocked},
		{name: "blocked with 206", status: 206, body: "ingestion blocked for user fake until '2026-10-07T01:35:32Z' with status code '206'", kind: Blocked, cause: CauseBlocked},
		{name: "blocked with 429", status: 429, body: "ingestion blocked for user fake until '2026-10-07T01:35:32Z' with status code '429'", kind: RateLimited, cause: CauseBlocked},

		{name: "too old", status: 400, body: tooOld + "\n", kind: Partial, cause: CauseTooOld, ignored: 1},
		{name: "too old, several", status: 400, body: "7 errors like: " + tooOld, kind: Partial, cause: CauseTooOld, ignored: 7},
		{name: "too old, and others", status: 400, body: "7 errors like: " + tooOld + "; 2 errors like: " + `entry for stream '{a="b"}' has timestamp too new: 2026-12-01T00:00:00Z`, kind: Partial, cause: CauseTooOld, ignored: 9},
		{name: "too far in future", status: 400, body: `entry for stream '{a="b"}' has timestamp too new: 2026-12-01T00:00:00Z`, kind: Partial, cause: CauseTooFarInFuture, ignored: 1},
		{name: "too far behind", status: 400, body: tooFarBehind + `user 'fake', total ignored: 1 out of 5 for stream: {kind="invocation"}` + "\n", kind: Partial, cause: CauseTooFarBehind, ignored: 1, total: 5},
		{name: "too far behind, the rest not listed", status: 400, body: strings.Repeat(tooFarBehind, 10) + `user 'fake', total ignored: 80 out of 100 for stream: {kind="invocation"}`, kind: Partial, cause: CauseTooFarBehind, ignored: 80, total: 100},
		{name: "too far behind, cut", status: 400, body: strings.Repeat(tooFarBehind, 3), kind: Partial, cause: CauseTooFarBehind, ignored: 3},
		{name: "out of order, 2.x", status: 400, body: `entry with timestamp 1970-01-01 00:00:01 +0000 UTC ignored, reason: 'entry out of order' for stream: {foo="bar"},` + "\ntotal ignored: 2 out of 2", kind: Partial, cause: CauseOutOfOrder, ignored: 2, total: 2},
		{name: "line too long", status: 400, body: `100 errors like: Max entry size '1' bytes exceeded for stream '{foo="bar"}' while adding an entry with length '10' bytes`, kind: Partial, cause: CauseLineTooLong, ignored: 100},
		{name: "metadata disallowed", status: 400, body: "stream '{a=\"b\"}' includes structured metadata, but this feature is disallowed. Please see `limits_config.allow_structured_metadata` or contact your Loki administrator to enable it.", kind: Partial, cause: CauseMetadataDisallowed, ignored: 1},
		{name: "metadata too large", status: 400, body: "stream '{a=\"b\"}' has structured metadata too large: '70000' bytes, limit: '65536' bytes. Please see `limits_config.max_structured_metadata_size` or contact your Loki administrator to increase it.", kind: Partial, cause: CauseMetadataTooLarge, ignored: 1},
		{name: "metadata too many", status: 400, body: "stream '{a=\"b\"}' has too many structured metadata labels: '129', limit: '128'. Please see `limits_config.max_structured_metadata_entries_count` or contact your Loki administrator to increase it.", kind: Partial, cause: CauseMetadataTooMany, ignored: 1},
		{name: "no labels", status: 400, body: "error at least one label pair is required per stream", kind: Partial, cause: CauseMissingLabels, ignored: 1},
		{name: "bad labels", status: 400, body: `Error parsing labels '{ab"' with error: 1:4: parse error: unterminated quoted string`, kind: Partial, cause: CauseInvalidLabels, ignored: 1},
		{name: "too many labels", status: 400, body: `entry for stream '{a="b", c="d; 3 errors like: }"}' has 16 label names; limit 15`, kind: Partial, cause: CauseTooManyLabels, streams: []string{`{a="b", c="d; 3 errors like: }"}`}},
		{name: "label name too long", status: 400, body: `stream '{aaa="b"}' has label name too long: 'aaa'`, kind: Partial, cause: CauseLabelNameTooLong, streams: []string{`{aaa="b"}`}},
		{name: "label value too long", status: 400, body: `1 errors like: stream '{a="b"}' has label value too long: 'b'; 3 errors like: ` + tooOld, kind: Partial, cause: CauseLabelValueTooLong, ignored: 3, streams: []string{`{a="b"}`}},
		{name: "duplicate label", status: 400, body: `stream '{a="b", a="c"}' has duplicate label name: 'a'`, kind: Partial, cause: CauseDuplicateLabels, streams: []string{`{a="b", a="c"}`}},
		{name: "enforced labels", status: 400, body: `missing required labels cluster for user fake for stream {a="b"}`, kind: Partial, cause: CauseMissingEnforcedLabels, streams: []string{`{a="b"}`}},
		{name: "a cause in a label is none", status: 400, body: `entry for stream '{a="entry too far behind"}' has timestamp too new: 2026-12-01T00:00:00Z`, kind: Partial, cause: CauseTooFarInFuture, ignored: 1},

		{name: "labels that no one can read", status: 400, body: `couldn't parse labels: 1:4: parse error: unexpected character inside braces: '.'`, kind: Permanent, cause: CauseInvalidLabels},
		{name: "no snappy", status: 400, body: "snappy: corrupt input\n", kind: Permanent, cause: CauseMalformed},
		{name: "no protobuf", status: 400, body: "proto: PushRequest: wiretype end group for non-group\n", kind: Permanent, cause: CauseMalformed},
		{name: "no content type", status: 400, body: "mime: no media type\n", kind: Permanent, cause: CauseMalformed},
		{name: "an encoding", status: 400, body: `Content-Encoding "br" not supported`, kind: Permanent, cause: CauseMalformed},
		{name: "a tenant", status: 400, body: "tenant ID 'a/b' contains unsupported character '/'", kind: Permanent, cause: CauseTenant},
		{name: "a path of VictoriaLogs", status: 400, body: `remoteAddr: "127.0.0.1:1"; requestURI: /loki/api/v1/push; unsupported path requested: "/loki/api/v1/push"`, kind: Permanent, cause: CauseNotFound},
		{name: "an unknown 400", status: 400, body: "something else", kind: Permanent, cause: CauseUnknown},
		{name: "an unknown 400 in numbers", status: 400, body: "5 errors like: something else", kind: Partial, cause: CauseUnknown, ignored: 5},
		{name: "an empty 400", status: 400, kind: Permanent, cause: CauseUnknown},
		{name: "nothing in it", status: 422, body: "error at least one valid stream is required for ingestion", kind: Permanent, cause: CauseEmptyRequest},

		{name: "too large", status: 413, body: "request body too large: 200000000 bytes, limit: 104857600 bytes", kind: TooLarge, cause: CauseRequestTooLarge},
		{name: "too large for nginx", status: 413, body: "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body></body></html>", kind: TooLarge, cause: CauseRequestTooLarge},
		{name: "too large, older", status: 400, body: "received message larger than max (200 vs 100)", kind: TooLarge, cause: CauseRequestTooLarge},
		{name: "too large for the ingester", status: 500, body: "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (5242880 vs 4194304)", kind: TooLarge, cause: CauseRequestTooLarge},

		{name: "rate", status: 429, body: "Ingestion rate limit exceeded for user fake (limit: 4194304 bytes/sec) while attempting to ingest '10' lines totaling '100' bytes, reduce log volume or contact your Loki administrator to see if the limit can be increased", kind: RateLimited, cause: CauseRateLimited},
		{name: "rate, 2.x", status: 429, body: "Ingestion rate limit exceeded (limit: 4194304 bytes/sec) while attempting to ingest '10' lines totaling '100' bytes", kind: RateLimited, cause: CauseRateLimited},
		{name: "rate of a stream", status: 429, body: "entry with timestamp 2026-10-07 01:35:32.405 +0000 UTC ignored, reason: '" + streamRate + `',` + "\n" + `user 'fake', total ignored: 3 out of 9 for stream: {a="b"}`, kind: RateLimited, cause: CauseStreamRateLimited, ignored: 3, total: 9},
		{name: "streams", status: 429, body: `Maximum active stream limit exceeded when trying to create stream {a="b"}, reduce the number of active streams (reduce labels or reduce label values), or contact your Loki administrator to see if the limit can be increased, user: 'fake'`, kind: RateLimited, cause: CauseStreamLimit, streams: []string{`{a="b"}`}},
		{name: "streams, 2.x", status: 429, body: `Maximum active stream limit exceeded, reduce the number of active streams (reduce labels or reduce label values), or contact your Loki administrator to see if the limit can be increased`, kind: RateLimited, cause: CauseStreamLimit, ignored: 1},
		{name: "rate of a gateway", status: 429, body: "Too Many Requests", kind: RateLimited, cause: CauseRateLimited},

		{name: "no tenant", status: 401, body: "no org id\n", kind: Unauthorized, cause: CauseTenant},
		{name: "credentials", status: 401, body: `{"status":"error","error":"authentication error: invalid token"}`, kind: Unauthorized, cause: CauseUnauthorized},
		{name: "forbidden", status: 403, kind: Unauthorized, cause: CauseUnauthorized},
		{name: "proxy", status: 407, kind: Unauthorized, cause: CauseUnauthorized},
		{name: "not found", status: 404, body: "404 page not found\n", kind: Permanent, cause: CauseNotFound},
		{name: "method", status: 405, kind: Permanent, cause: CauseNotFound},
		{name: "redirect", status: 302, kind: Permanent, cause: CauseRedirected},
		{name: "timeout", status: 408, kind: Retryable, cause: CauseUnknown},
		{name: "closed", status: 499, body: "The request was cancelled by the client.", kind: Retryable, cause: CauseUnknown},

		{name: "poison", status: 500, body: poison + "\n", kind: Poison, cause: CausePoisonName},
		{name: "poison without a name", status: 500, body: `normalization for label name "" resulted in empty name`, kind: Poison, cause: CausePoisonName},
		{name: "failure", status: 500, body: "rpc error: code = Unavailable desc = connection refused", kind: Retryable, cause: CauseUnavailable},
		{name: "replicas", status: 500, body: "at least 2 live replicas required, could only find 1", kind: Retryable, cause: CauseUnavailable},
		{name: "not implemented", status: 501, kind: Permanent, cause: CauseUnavailable},
		{name: "bad gateway", status: 502, kind: Retryable, cause: CauseUnavailable},
		{name: "unavailable", status: 503, body: "<html><title>503 Service Temporarily Unavailable</title>", kind: Retryable, cause: CauseUnavailable},
		{name: "gateway timeout", status: 504, kind: Retryable, cause: CauseUnavailable},
		{name: "of a CDN", status: 522, kind: Retryable, cause: CauseUnavailable},
	} {
		bodies := map[string]string{"": row.body}
		if row.body != "" && row.body[0] != '{' && row.body[0] != '<' {
			quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(row.body)
			bodies[", JSON"] = `{"code":3, "message":"` + quoted + `"}`
			bodies[", JSON of a gateway"] = ` {"status":"error", "error":{"message":"` + quoted + `"}}`
			bodies[", protobuf"] = statusBody(row.body)
		}
		for form, body := range bodies {
			t.Run(row.name+form, func(t *testing.T) {
				a := Classify(row.status, nil, []byte(body))
				assert.Equal(t, row.kind.String(), a.Kind.String())
				assert.Equal(t, row.cause.String(), a.Cause.String())
				assert.Equal(t, row.ignored, a.Ignored)
				assert.Equal(t, row.total, a.Total)
				var streams []string
				for _, reason := range a.Reasons {
					streams = append(streams, reason.Streams...)
				}
				assert.Equal(t, row.streams, streams)
				assert.Equal(t, a.Kind == Delivered, a.Message == "")
				assert.NotContains(t, a.Message, "\n")
			})
		}
	}
}

func TestMessage(t *testing.T) {
	for body, want := range map[string]string{
		"":                                   "503 Service Unavailable",
		" \n first, \r\n second":             "first",
		"a\tb\x00c\xff":                      "a b c?",
		"7 errors like: " + tooOld:           "7 errors like: " + tooOld,
		"1 errors like: a; 2 errors like: b": "1 errors like: a",
		tooFarBehind + "user":                strings.TrimSuffix(tooFarBehind, ",\n"),
		"<html><title> gone </title>":        "gone",
		"<html>":                             "<html>",
		`{"error":"e","message":"m"}`:        "m",
		`{"error":{"message":"m"}}`:          "m",
		`{"error":5}`:                        `{"error":5}`,
		`{a="b"} is no JSON`:                 `{a="b"} is no JSON`,
		strings.Repeat("é", 400):             strings.Repeat("é", 256),
		"x" + strings.Repeat("é", 400):       "x" + strings.Repeat("é", 255),
	} {
		assert.Equal(t, want, Classify(503, nil, []byte(body)).Message, body)
	}
	assert.Equal(t, "299", Classify(299, nil, nil).Message)
}

func TestRetryAfter(t *testing.T) {
	const date = "Mon, 30 Nov 2026 21:00:00 GMT"
	for _, row := range []struct {
		after, date string
		want        time.Duration
	}{
		{"", "", 0},
		{"30", "", 30 * time.Second},
		{" 0 ", "", 0},
		{"-5", "", 0},
		{"99999999999", "", 24 * time.Hour},
		{"99999999999999999999999", "", 0},
		{"soon", "", 0},
		{"Mon, 30 Nov 2026 21:00:42 GMT", date, 42 * time.Second},
		{"Mon, 30 Nov 2026 20:00:00 GMT", date, 0},
		{"Mon, 30 Nov 2099 20:00:00 GMT", date, 24 * time.Hour},
		{"Mon, 30 Nov 1999 20:00:00 GMT", "", 0},
	} {
		header := http.Header{"Retry-After": {row.after}, "Date": {row.date}}
		assert.Equal(t, row.want, Classify(429, header, nil).RetryAfter, row.after)
	}
}

func TestLost(t *testing.T) {
	streams := []Stream{
		{Labels: `{a="b"}`, Entries: make([]Entry, 3)},
		{Labels: `{c="d\"}", e="f"}`, Entries: make([]Entry, 5)},
		{Labels: `{z="y"}`, Entries: make([]Entry, 7)},
	}
	lost := func(status int, body string) int {
		a := Classify(status, nil, []byte(body))
		return a.Lost(streams)
	}
	assert.Equal(t, 0, lost(204, ""))
	assert.Equal(t, 15, lost(260, ""))
	assert.Equal(t, 15, lost(422, ""))
	assert.Equal(t, 2, lost(400, "2 errors like: "+tooOld))
	assert.Equal(t, 15, lost(400, "99 errors like: "+tooOld), "no more than there are")
	assert.Equal(t, 3, lost(400, `stream '{a="b"}' has label value too long: 'b'`))
	assert.Equal(t, 3, lost(400, `stream '{a="b", service_name="unknown_service"}' has label value too long: 'b'`))
	assert.Equal(t, 5, lost(400, `stream '{c="d\"}", e="f", service_name="un\"known"}' has label value too long: 'b'`))
	assert.Equal(t, 7, lost(400, `stream '{service_name="unknown_service", z="y"}' has label value too long: 'b'`))
	assert.Equal(t, 0, lost(400, `stream '{none="of them"}' has label value too long: 'b'`))
	assert.Equal(t, 12, lost(400, `1 errors like: stream '{z="y"}' has label value too long: 'b'; `+
		`1 errors like: stream '{c="d\"}", e="f"}' has 16 label names; limit 15`))
}

func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for c := range causes {
		assert.NotEmpty(t, c.String())
		assert.False(t, seen[c.String()], c)
		seen[c.String()] = true
	}
	assert.Equal(t, "unknown", Cause(200).String())
	for k := range kinds {
		assert.NotEmpty(t, k.String())
	}
	assert.Equal(t, "unknown", Kind(200).String())
}

// FuzzClassify classifies anything: it ends, its message is one short line of text, and what it
// counts is possible.
func FuzzClassify(f *testing.F) {
	for _, body := range []string{
		"", tooFarBehind + "total ignored: 1 out of 5", "2 errors like: " + tooOld + "; 99999999999999999999 errors like: x", poison,
		`{"error":{"message":"m"}}`, "\x08\x03\x12\x01a", "<title></title>", "total ignored: out of ", `{a="\`, strings.Repeat("{", 100),
	} {
		for _, status := range []int{0, 204, 206, 260, 299, 302, 400, 413, 429, 500} {
			f.Add(status, body, "30")
		}
	}
	streams := []Stream{{Labels: `{a="b"}`, Entries: make([]Entry, 3)}}
	f.Fuzz(func(t *testing.T, status int, body, after string) {
		a := Classify(status, http.Header{"Retry-After": {after}}, []byte(body))
		require.Less(t, a.Kind, kinds)
		require.Less(t, a.Cause, causes)
		require.LessOrEqual(t, len(a.Message), maxMessage)
		require.True(t, utf8.ValidString(a.Message))
		require.NotContains(t, a.Message, "\n")
		require.True(t, 0 <= a.Ignored && a.Ignored <= math.MaxInt32)
		require.True(t, 0 <= a.Total && a.Total <= math.MaxInt32)
		require.True(t, 0 <= a.RetryAfter && a.RetryAfter <= 24*time.Hour)
		require.LessOrEqual(t, len(a.Reasons), maxReasons)
		lost := a.Lost(streams)
		require.True(t, 0 <= lost && lost <= 3)
		if a.Kind == Delivered {
			require.Equal(t, Answer{}, a)
		}
	})
}

func BenchmarkClassify(b *testing.B) {
	for name, body := range map[string]string{
		"distributor": "7 errors like: " + tooOld,
		"ingester":    strings.Repeat(tooFarBehind, 10) + `user 'fake', total ignored: 80 out of 100 for stream: {kind="invocation"}`,
	} {
		b.Run(name, func(b *testing.B) {
			raw := []byte(body)
			b.ReportAllocs()
			for b.Loop() {
				Classify(400, nil, raw)
			}
		})
	}
}

// A page of HTML is what portals and wrong paths answer to anything, with 200.
func TestClassifyPage(t *testing.T) {
	page := []byte("<html>log in</html>")
	for kind, want := range map[string]Kind{
		"text/html": Permanent, "text/html; charset=utf-8": Permanent, "Text/HTML ;charset=utf-8": Permanent,
		"text/plain; charset=utf-8": Delivered, "application/json": Delivered, "application/xhtml+xml": Permanent, "": Permanent,
	} {
		a := Classify(200, http.Header{"Content-Type": {kind}}, page)
		assert.Equal(t, want.String(), a.Kind.String(), kind)
		assert.Equal(t, want == Delivered, a.Message == "", kind)
	}
	assert.Equal(t, Delivered, Classify(204, http.Header{"Content-Type": {"text/html"}}, nil).Kind, "without a body")
}

// Where a redirect leads to is told, without secrets.
func TestRedirect(t *testing.T) {
	header := http.Header{"Location": {"https://user:secret@login.example/in?token=secret"}}
	assert.Equal(t, "302 Found to https://login.example/in", Classify(302, header, nil).Message)
}
