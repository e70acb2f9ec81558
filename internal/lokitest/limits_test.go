package lokitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// app are the labels that most tests send, and kept what becomes of them.
const (
	app     = `{app="vllm"}`
	appKept = `{app="vllm", service_name="vllm"}`
)

func TestPush(t *testing.T) {
	r := newRig(t, Options{})
	status, text := r.push(
		stream{app, []entry{in(time.Second, "second", Pair{"trace.id", "b"}), in(0, "first", Pair{"trace_id", "a"})}},
		stream{`{z='y', a=` + "`\"`" + `,}`, []entry{in(0, "other")}},
		stream{`{empty="stream"}`, nil},
	)
	assert.Equal(t, 204, status)
	assert.Empty(t, text)
	assert.Equal(t, []string{`{a="\"", service_name="unknown_service", z="y"}`, appKept}, r.Streams("fake"))

	all := r.Records(Query{})
	assert.Len(t, all, 3)
	assert.Equal(t, Record{
		Tenant: "fake", Labels: map[string]string{"app": "vllm", "service_name": "vllm"},
		Time: start, Line: "first", Metadata: []Pair{{"trace_id", "a"}},
	}, all[1])
	assert.Equal(t, []string{"second"}, lines(r.Records(Query{Metadata: map[string]string{"trace_id": "b"}})))
	assert.Equal(t, []string{"first", "second"}, lines(r.Records(Query{Tenant: "fake", Labels: map[string]string{"app": "vllm", "z": ""}})))
	assert.Equal(t, []string{"other"}, lines(r.Records(Query{Contains: "the"})))
	assert.Empty(t, r.Records(Query{Tenant: "other"}))
}

func lines(records []Record) []string {
	var out []string
	for _, r := range records {
		out = append(out, r.Line)
	}
	return out
}

// TestLimits has one good entry besides what is refused, which is kept wherever Loki keeps it.
func TestLimits(t *testing.T) {
	var sixteen, pairs []string
	var many []Pair
	for i := range 129 {
		many = append(many, Pair{fmt.Sprintf("m%d", i), "v"})
		pairs = append(pairs, fmt.Sprintf(`l%02d="v"`, i))
	}
	sixteen = pairs[:16]
	block := func(status int) func(*Limits) {
		return func(l *Limits) { l.BlockIngestionUntil, l.BlockIngestionStatusCode = start.Add(time.Hour), status }
	}
	for _, row := range []struct {
		name   string
		set    func(*Limits)
		stream stream
		status int
		text   string
		lost   bool // the good entry is lost as well
	}{
		{
			name: "too old", stream: stream{app, []entry{in(-8*24*time.Hour, "x")}}, status: 400,
			text: `entry for stream '` + appKept + `' has timestamp too old: 2026-11-22T12:00:00Z, oldest acceptable timestamp is: 2026-11-23T12:00:00Z`,
		},
		{name: "old is allowed", set: func(l *Limits) { l.RejectOldSamples = false }, stream: stream{`{b="c"}`, []entry{in(-8*24*time.Hour, "x")}}, status: 204},
		{
			name: "too new", stream: stream{app, []entry{in(11*time.Minute, "x"), in(11*time.Minute, "y")}}, status: 400,
			text: `2 errors like: entry for stream '` + appKept + `' has timestamp too new: 2026-11-30T12:11:00Z`,
		},
		{
			name: "two causes", stream: stream{app, []entry{in(11*time.Minute, "x"), in(-8*24*time.Hour, "x")}}, status: 400,
			text: `1 errors like: entry for stream '` + appKept + `' has timestamp too new: 2026-11-30T12:11:00Z; 1 errors like: ` +
				`entry for stream '` + appKept + `' has timestamp too old: 2026-11-22T12:00:00Z, oldest acceptable timestamp is: 2026-11-23T12:00:00Z`,
		},
		{
			name: "line too long", stream: stream{app, []entry{in(0, strings.Repeat("x", 262_145))}}, status: 400,
			text: `Max entry size '262144' bytes exceeded for stream '` + appKept + `' while adding an entry with length '262145' bytes`,
		},
		{name: "truncated", set: func(l *Limits) { l.MaxLineSizeTruncate = true }, stream: stream{app, []entry{in(0, strings.Repeat("x", 262_145))}}, status: 204},
		{
			name: "metadata disallowed", set: func(l *Limits) { l.AllowStructuredMetadata = false }, stream: stream{app, []entry{in(0, "x", Pair{"a", "b"})}}, status: 400,
			text: `stream '` + appKept + `' includes structured metadata, but this feature is disallowed. Please see ` + "`limits_config.allow_structured_metadata` or contact your Loki administrator to enable it.",
		},
		{
			name: "metadata too large", stream: stream{app, []entry{in(0, "x", Pair{"a", strings.Repeat("b", 65_536)})}}, status: 400,
			text: `stream '` + appKept + `' has structured metadata too large: '65537' bytes, limit: '65536' bytes. Please see ` + "`limits_config.max_structured_metadata_size` or contact your Loki administrator to increase it.",
		},
		{
			name: "metadata too many", stream: stream{app, []entry{in(0, "x", many...)}}, status: 400,
			text: `stream '` + appKept + `' has too many structured metadata labels: '129', limit: '128'. Please see ` + "`limits_config.max_structured_metadata_entries_count` or contact your Loki administrator to increase it.",
		},
		{
			name: "a name without characters", stream: stream{app, []entry{in(0, "x", Pair{"模型", "b"})}}, status: 500, lost: true,
			text: `normalization for label name "模型" resulted in invalid name "_"`,
		},
		{
			name: "no name", stream: stream{app, []entry{in(0, "x", Pair{"", "b"})}}, status: 500, lost: true,
			text: `normalization for label name "" resulted in empty name`,
		},

		{name: "15 labels and a service name", stream: stream{"{" + strings.Join(sixteen[:15], ",") + `,service_name="s"}`, []entry{in(0, "x")}}, status: 204},
		{
			name: "16 labels", stream: stream{"{" + strings.Join(sixteen, ", ") + "}", []entry{in(0, "x"), in(0, "y")}}, status: 400,
			text: `entry for stream '{` + strings.Join(sixteen, ", ") + `, service_name="unknown_service"}' has 16 label names; limit 15`,
		},
		{
			name: "label name", set: func(l *Limits) { l.MaxLabelNameLength = 15 }, stream: stream{`{service_name="s", abcdefghijklmnop="x"}`, []entry{in(0, "x")}}, status: 400,
			text: `stream '{service_name="s", abcdefghijklmnop="x"}' has label name too long: 'abcdefghijklmnop'`,
		},
		{
			name: "label value", set: func(l *Limits) { l.MaxLabelValueLength = 5 }, stream: stream{`{service_name="123456"}`, []entry{in(0, "x")}}, status: 400, lost: true,
			text: `1 errors like: stream '{good="one", service_name="unknown_service"}' has label value too long: 'unknown_service'; 1 errors like: stream '{service_name="123456"}' has label value too long: '123456'`,
		},
		{
			name: "duplicate label", stream: stream{`{service_name="s", b="1", b="2"}`, []entry{in(0, "x")}}, status: 400,
			text: `stream '{service_name="s", b="1", b="2"}' has duplicate label name: 'b'`,
		},
		{
			name: "no labels", set: func(l *Limits) { l.DiscoverServiceName = nil }, stream: stream{"{}", []entry{in(0, "x")}}, status: 400,
			text: "error at least one label pair is required per stream",
		},
		{
			name: "empty labels are none", set: func(l *Limits) { l.DiscoverServiceName = nil }, stream: stream{`{a=""}`, []entry{in(0, "x")}}, status: 400,
			text: "error at least one label pair is required per stream",
		},
		{
			name: "enforced", set: func(l *Limits) { l.EnforcedLabels = []string{"good"} }, stream: stream{app, []entry{in(0, "x")}}, status: 400,
			text: `missing required labels good for user fake for stream ` + appKept,
		},
		{
			name: "bad labels", stream: stream{`{a.b="c"}`, []entry{in(0, "x")}}, status: 400, lost: true,
			text: `couldn't parse labels: 1:3: parse error: unexpected character inside braces: '.'`,
		},
		{
			name: "labels too large", set: func(l *Limits) { l.MaxStreamLabelsSize = 20 }, stream: stream{`{a="` + strings.Repeat("x", 20) + `"}`, []entry{in(0, "x")}}, status: 413, lost: true,
			text: "couldn't parse labels: labels size 0 MiB exceeds limit of 0",
		},

		{
			name: "blocked", set: block(260), stream: stream{app, []entry{in(0, "x")}}, status: 260, lost: true,
			text: "ingestion blocked for user fake until '2026-11-30T13:00:00Z' with status code '260'",
		},
		{name: "blocked without a word", set: block(200), stream: stream{app, []entry{in(0, "x")}}, status: 204, lost: true},

		{
			name: "rate", set: func(l *Limits) { l.IngestionRate, l.IngestionBurst = 10, 20 }, stream: stream{app, []entry{in(0, "0123456789", Pair{"a", "01234567"})}}, status: 429, lost: true,
			text: "Ingestion rate limit exceeded for user fake (limit: 10 bytes/sec) while attempting to ingest '2' lines totaling '23' bytes, reduce log volume or contact your Loki administrator to see if the limit can be increased",
		},
		{
			name: "rate of a stream", set: func(l *Limits) { l.PerStreamRate, l.PerStreamBurst = 10, 20 }, stream: stream{app, []entry{in(0, strings.Repeat("x", 15)), in(0, "123456")}}, status: 429,
			text: `entry with timestamp 2026-11-30 12:00:00 +0000 UTC ignored, reason: 'Per stream rate limit exceeded (limit: 10B/sec) while attempting to ingest for stream '` + appKept + `' totaling 15B, consider splitting a stream via additional labels or contact your Loki administrator to see if the limit can be increased',
entry with timestamp 2026-11-30 12:00:00 +0000 UTC ignored, reason: 'Per stream rate limit exceeded (limit: 10B/sec) while attempting to ingest for stream '` + appKept + `' totaling 6B, consider splitting a stream via additional labels or contact your Loki administrator to see if the limit can be increased',
user 'fake', total ignored: 2 out of 2 for stream: ` + appKept,
		},
		{
			name: "rate of a stream, entry by entry", set: func(l *Limits) {
				l.PerStreamRate, l.PerStreamBurst, l.RateLimitWholeStream, l.MaxReturnedErrors = 10, 20, false, 1
			},
			stream: stream{app, []entry{in(0, strings.Repeat("x", 15)), in(0, "123456"), in(0, "1234567")}}, status: 429,
			text: `entry with timestamp 2026-11-30 12:00:00 +0000 UTC ignored, reason: 'Per stream rate limit exceeded (limit: 10B/sec) while attempting to ingest for stream '` + appKept + `' totaling 6B, consider splitting a stream via additional labels or contact your Loki administrator to see if the limit can be increased',
user 'fake', total ignored: 2 out of 3 for stream: ` + appKept,
		},
		{
			name: "streams", set: func(l *Limits) { l.MaxStreams = 1 }, stream: stream{app, []entry{in(0, "x")}}, status: 429,
			text: `Maximum active stream limit exceeded when trying to create stream ` + appKept + `, reduce the number of active streams (reduce labels or reduce label values), or contact your Loki administrator to see if the limit can be increased, user: 'fake'`,
		},
		{
			name: "body", set: func(l *Limits) { l.MaxReceiveSize = 10 }, stream: stream{app, []entry{in(0, "x")}}, status: 413, lost: true,
			text: "request body too large: 66 bytes, limit: 10 bytes",
		},
		{
			name: "body, decompressed", set: func(l *Limits) { l.MaxDecompressedSize = 50 }, stream: stream{app, []entry{in(0, "x")}}, status: 413, lost: true,
			text: "request body too large: 65 bytes, limit: 50 bytes",
		},
		{
			name: "too far behind", stream: stream{app, []entry{in(0, "now"), in(-61*time.Minute, "x"), in(-time.Hour, "y")}}, status: 400,
			text: `entry with timestamp 2026-11-30 10:59:00 +0000 UTC ignored, reason: 'entry too far behind, entry timestamp is: 2026-11-30T10:59:00Z, oldest acceptable timestamp is: 2026-11-30T11:00:00Z',
user 'fake', total ignored: 1 out of 3 for stream: ` + appKept,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRig(t, Options{Limits: row.set})
			good := stream{`{good="one"}`, []entry{in(0, "good")}}
			status, text := r.push(good, row.stream)
			assert.Equal(t, row.status, status)
			assert.Equal(t, row.text, text)
			assert.Len(t, r.Records(Query{Contains: "good"}), map[bool]int{false: 1, true: 0}[row.lost])
			assert.Equal(t, map[int]int{row.status: 1}, r.Stats().ByStatus)
		})
	}
}

func TestRatesRecover(t *testing.T) {
	r := newRig(t, Options{Limits: func(l *Limits) { l.IngestionRate, l.IngestionBurst = 10, 20 }})
	push := func(line string) int {
		status, _ := r.push(stream{app, []entry{in(0, line)}})
		return status
	}
	assert.Equal(t, 204, push("0123456789012345"))
	assert.Equal(t, 429, push("01234"))
	assert.Equal(t, 429, push("01234"), "what is refused takes nothing")
	*r.clock = start.Add(100 * time.Millisecond)
	assert.Equal(t, 204, push("01234"))
	*r.clock = start.Add(time.Hour)
	assert.Equal(t, 429, push("012345678901234567890"), "never more than a burst")
}

func TestLimitsOfATenant(t *testing.T) {
	r := newRig(t, Options{Auth: true})
	push := func(tenant, line string) int {
		r.header.Set(tenantHeader, tenant)
		status, _ := r.push(stream{app, []entry{in(0, line)}})
		return status
	}
	r.SetLimits("small", func(l *Limits) { l.MaxLineSize = 3 })
	assert.Equal(t, 400, push("small", "1234"))
	assert.Equal(t, 204, push("large", "1234"))
	r.SetLimits("", func(l *Limits) { l.MaxLineSize = 2 })
	assert.Equal(t, 400, push("large", "123"))
	assert.Equal(t, 204, push("small", "123"))
	r.Reset()
	assert.Equal(t, 400, push("small", "123"))
}
