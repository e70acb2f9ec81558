package lokitest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDuplicates(t *testing.T) {
	a, b := Pair{"state", "a"}, Pair{"state", "b"}
	for _, row := range []struct {
		version Version
		kept    int
	}{
		{Loki(3, 6), 3},
		{Loki(3, 7), 4},
		{Loki(4, 0), 4},
	} {
		r := newRig(t, Options{Version: row.version})
		push := func(entries ...entry) {
			status, text := r.push(stream{app, entries})
			assert.Equal(t, 204, status, text)
		}
		push(in(0, "x", a), in(1, "x", a), in(0, "y", a))
		push(in(0, "x", a), in(1, "x", a), in(0, "y", a))
		// The last of the stream, which is compared at another place, and the order of metadata.
		push(in(0, "y", a))
		push(in(1, "x", b))
		assert.Len(t, r.Records(Query{}), row.kept)
		stats := r.Stats()
		assert.Equal(t, row.kept, stats.Kept)
		assert.Equal(t, 8-row.kept, stats.Dropped)
		assert.Equal(t, 8, stats.Entries)
		assert.Equal(t, 4, stats.RepeatedEntries)
		assert.Equal(t, 1, stats.ChangedEntries)
		assert.Equal(t, 1, stats.Repeated)
	}
}

func TestOrderOfMetadataIsNoDifference(t *testing.T) {
	r := newRig(t, Options{})
	r.push(stream{app, []entry{in(0, "x", Pair{"a", "1"}, Pair{"b", "2"})}})
	r.push(stream{app, []entry{in(0, "x", Pair{"b", "2"}, Pair{"a", "1"})}})
	assert.Len(t, r.Records(Query{}), 1)
	assert.Equal(t, 1, r.Stats().ChangedEntries, "but the bytes were not the same")
}

func TestTooFarBehindInAnotherPush(t *testing.T) {
	r := newRig(t, Options{})
	r.push(stream{app, []entry{in(0, "now")}})
	status, _ := r.push(stream{app, []entry{in(-2*time.Hour, "x")}})
	assert.Equal(t, 400, status)
	status, _ = r.push(stream{`{other="stream"}`, []entry{in(-2*time.Hour, "x")}})
	assert.Equal(t, 204, status)
}

func TestVersions(t *testing.T) {
	old := newRig(t, Options{Version: Loki(2, 9)})
	status, _ := old.push()
	assert.Equal(t, 204, status)
	status, text := old.push(stream{app, []entry{in(0, "x", Pair{"a", "b"})}})
	assert.Equal(t, 400, status)
	assert.Contains(t, text, "disallowed")
	old.SetLimits("", func(l *Limits) { l.AllowStructuredMetadata, l.MaxReceiveSize = true, 70 })
	status, _ = old.push(stream{app, []entry{in(0, "x", Pair{"模型", "b"})}})
	assert.Equal(t, 204, status, "a name of which nothing is left does no harm yet")
	assert.Equal(t, []string{app}, old.Streams("fake"), "and there is no service name")
	status, text = old.push(stream{app, []entry{in(0, "a line that is long enough to be too large for a request")}})
	assert.Equal(t, 400, status)
	assert.Contains(t, text, "received message larger than max (")
}

func TestSanitise(t *testing.T) {
	for name, want := range map[string]string{
		"a": "a", "a.b": "a_b", "a__b": "a_b", "a-.b": "a_b", "1a": "key_1a", "__x__": "__x__", "__a..b__": "__a_b__", "_a": "_a",
		"model名": "model_", "模型": "_", "___": "_", "": "", "A9": "A9",
	} {
		assert.Equal(t, want, labelName(name), name)
	}
	clean, collisions, err := sanitise([]Pair{{"a.b", "\xffx\ufffdy"}, {"a_b", "2"}, {"a-b", "3"}}, Loki(3, 7))
	require.NoError(t, err)
	assert.Equal(t, []Pair{{"a_b", "xy"}, {"a_b", "2"}, {"a_b", "3"}}, clean)
	assert.Equal(t, 2, collisions)
}

func TestParseLabels(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                              `{}`,
		"{\ta = \"b\" ,\nc='d\"', }":      `{a="b", c="d\""}`,
		"{b=`\\n`,a=\"\\n\\x41\\u00e9\"}": `{a="\nAé", b="\\n"}`,
		`{a="",b="c"}`:                    `{b="c"}`,
		`{a='it\'s'}`:                     `{a="it's"}`,
	} {
		labels, err := parseLabels(" " + text + "\n")
		require.NoError(t, err, text)
		assert.Equal(t, want, formatLabels(labels))
	}
	for text, want := range map[string]string{
		``:              `1:1: parse error: unexpected input, expected "{"`,
		`a="b"`:         `1:1: parse error: unexpected input, expected "{"`,
		`{`:             `1:2: parse error: unexpected character inside braces: end of input`,
		`{,}`:           `1:2: parse error: unexpected character inside braces: ','`,
		`{a.b="c"}`:     `1:3: parse error: unexpected character inside braces: '.'`,
		`{"a"="c"}`:     `1:2: parse error: unexpected character inside braces: '"'`,
		`{模="c"}`:       `1:2: parse error: unexpected character inside braces: '模'`,
		`{a=b}`:         `1:4: parse error: unexpected character inside braces, expected string: 'b'`,
		`{a="b}`:        `1:7: parse error: unterminated quoted string`,
		"{a=\"b\n\"}":   `1:6: parse error: unterminated quoted string`,
		`{a="\q"}`:      `1:8: parse error: invalid syntax`,
		`{a="b" c="d"}`: `1:8: parse error: unexpected character in label set, expected "," or "}": 'c'`,
		`{a="b"} x`:     `1:9: parse error: could not parse remaining input "x"`,
		`{a!="b"}`:      `1:3: parse error: unexpected character inside braces: '!'`,
	} {
		_, err := parseLabels(text)
		assert.EqualError(t, err, want, text)
	}
}
