package ids

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	x       = "b8ecb8d239dfd40503b8c873443ee32b"
	xUUID   = "B8ECB8D2-39df-d405-03b8-c873443ee32b"
	x16     = "81e2aa729659761a"
	oneOver = MaxRequestID + 1
)

func parse(t *testing.T, rules *Rules, raw string) *Forms {
	t.Helper()
	f := &Forms{}
	require.Equal(t, OK, rules.Parse(raw, f), raw)
	return f
}

func TestForms(t *testing.T) {
	rules := DefaultRules()
	for raw, want := range map[string]struct{ whole, cut []string }{
		x:                               {whole: []string{x}},
		strings.ToUpper(x):              {whole: []string{x}},
		xUUID:                           {whole: []string{x}},
		` "` + x + `": `:                {whole: []string{x}},
		"cmpl-" + x:                     {whole: []string{"cmpl-" + x, x}},
		"cmpl-" + xUUID:                 {whole: []string{"cmpl-" + x, x}},
		"chatcmpl-" + x + ".":           {whole: []string{"chatcmpl-" + x, x}},
		"chatcmpl-batch-" + x:           {whole: []string{"chatcmpl-batch-" + x, x}},
		"cmpl-" + x + "-0":              {[]string{"cmpl-" + x + "-0", x + "-0"}, []string{x}},
		"cmpl-" + xUUID + "-0":          {[]string{"cmpl-" + x + "-0", x + "-0"}, []string{x}},
		"cmpl-" + x + "-0-9f3e1a2b":     {[]string{"cmpl-" + x + "-0-9f3e1a2b", x + "-0-9f3e1a2b"}, []string{x + "-0", x}},
		"cmpl-" + xUUID + "-0-9F3E1A2B": {[]string{"cmpl-" + x + "-0-9f3e1a2b", x + "-0-9f3e1a2b"}, []string{x + "-0", x}},
		"chatcmpl-" + x + "-9f3e1a2b":   {[]string{"chatcmpl-" + x + "-9f3e1a2b", x + "-9f3e1a2b"}, []string{x}},
		"1_cmpl-" + x + "-0-9f3e1a2b":   {[]string{"1_cmpl-" + x + "-0-9f3e1a2b"}, []string{x + "-0-9f3e1a2b", x + "-0", x}},
		"0_cmpl-" + x:                   {[]string{"0_cmpl-" + x}, []string{x}},
		"0_" + x:                        {[]string{"0_" + x}, []string{x}},
		"transcribe-" + x + "_1":        {[]string{"transcribe-" + x + "_1", x + "_1"}, []string{x}},
		x + "-0":                        {[]string{x + "-0"}, []string{x}},
		xUUID + "-9f3e1a2b":             {[]string{x + "-9f3e1a2b"}, []string{x}},
		x16 + "-0-abf5989a":             {[]string{x16 + "-0-abf5989a"}, []string{x16 + "-0", x16}},

		// A client's own id keeps what it ends in and how it is written.
		"order-5":              {whole: []string{"order-5"}},
		"Order-5":              {whole: []string{"Order-5"}},
		"job-12ab34cd":         {whole: []string{"job-12ab34cd"}},
		"x-deadbeef":           {whole: []string{"x-deadbeef"}},
		"3_blind_mice":         {whole: []string{"3_blind_mice"}},
		"1768471200123456-1":   {whole: []string{"1768471200123456-1"}},
		x + "a-0":              {whole: []string{x + "a-0"}},
		x + "-0-1":             {whole: []string{x + "-0-1"}},
		xUUID + "-retry":       {whole: []string{xUUID + "-retry"}},
		"12":                   {whole: []string{"12"}},
		"cmpl-":                {whole: []string{"cmpl-"}},
		"chat-0":               {whole: []string{"chat-0"}},
		"cmpl-order-5":         {[]string{"cmpl-order-5", "order-5"}, []string{"order"}},
		"cmpl-order-5-0":       {[]string{"cmpl-order-5-0", "order-5-0"}, []string{"order-5"}},
		"cmpl-order-00":        {whole: []string{"cmpl-order-00", "order-00"}},
		"cmpl-order-12345":     {whole: []string{"cmpl-order-12345", "order-12345"}},
		"cmpl-order-of-words":  {whole: []string{"cmpl-order-of-words", "order-of-words"}},
		"cmpl-an-evergreen":    {whole: []string{"cmpl-an-evergreen", "an-evergreen"}},
		"cmpl-a-deadbeeg":      {whole: []string{"cmpl-a-deadbeeg", "a-deadbeeg"}},
		"cmpl--5":              {whole: []string{"cmpl--5", "-5"}},
		"cmpl-req-" + x + "-0": {[]string{"cmpl-req-" + x + "-0", "req-" + x + "-0"}, []string{"req-" + x}},
		"cmpl-None-0":          {whole: []string{"cmpl-None-0", "None-0"}},
	} {
		f := parse(t, &rules, raw)
		assert.Equal(t, append(append([]string{}, want.whole...), want.cut...), f.Strings(), raw)
		for i := range f.Len() {
			assert.Equal(t, i >= len(want.whole), f.Cut(i), "%s, key %d", raw, i)
		}
	}
}

func TestMatch(t *testing.T) {
	rules := DefaultRules()
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		// The four spellings that vLLM writes of one id meet the span's.
		{"cmpl-" + x, x, true},
		{"cmpl-" + x, "cmpl-" + x + "-0", true},
		{"cmpl-" + x, "cmpl-" + x + "-0-9f3e1a2b.", true},
		{"cmpl-" + x, "chatcmpl-" + x, true},
		{"cmpl-" + x, "cmpl-" + x + "a-0", false},
		{"cmpl-" + x, "chatcmpl-0011223344556677.", false},
		// A span of an engine that knows the prompt's id only.
		{"cmpl-" + x + "-0", x, true},
		{"cmpl-" + x + "-0", xUUID, true},
		{"cmpl-" + x + "-0", "cmpl-" + x + "-0-9f3e1a2b", true},
		{"cmpl-" + x + "-0-9f3e1a2b", "2_cmpl-" + x + "-0-9f3e1a2b", true},
		{"cmpl-" + x + "-0-9f3e1a2b", x, true},
		{x16, "cmpl-" + x16 + "-0-abf5989a", true},

		{"X1", "X12", false},
		{"cmpl-X1", "X12", false},
		{"cmpl-X1", "cmpl-X1-2", true},
		{"order-5", "order-5", true},
		{"order-5", "order-6", false},
		{"order-5", "order", false},
		{"job-12ab34cd", "job", false},
		{"order-5", "cmpl-order-5-0-9f3e1a2b", true},
		{"cmpl-order-5", "cmpl-order-6", false},
		{"cmpl-order-5-0-9f3e1a2b", "order-6", false},
		{"cmpl-order-5-0-9f3e1a2b", "cmpl-order-6-0-9f3e1a2c", false},
		// Turns of one session: each is a request of its own.
		{x + "-1", x + "-2", false},
		{"Order-A", "order-a", false},
	} {
		a, b := parse(t, &rules, tt.a), parse(t, &rules, tt.b)
		assert.Equal(t, tt.want, Match(a, b), "%s and %s", tt.a, tt.b)
		assert.Equal(t, tt.want, Match(b, a), "%s and %s", tt.b, tt.a)
		assert.True(t, Match(a, a))
	}
}

func TestReadingDoesNotAllocate(t *testing.T) {
	rules := DefaultRules()
	var f Forms
	tooLong := strings.Repeat("x", oneOver)
	long := "0_cmpl-" + strings.Repeat("x", 200) + "-0-9f3e1a2b"
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		for _, raw := range []string{xUUID, long, "None", tooLong} {
			rules.Parse(raw, &f)
		}
		for kind := KindPlain; kind <= KindSampled; kind++ {
			for _, value := range []string{w3c, w3cTwice, long, "18446744073709551616"} {
				_, _ = ParseTrace(kind, value, 0)
				_, _ = ParseSpan(kind, value, 0)
			}
		}
	}))
}

func TestParseRefuses(t *testing.T) {
	rules := DefaultRules()
	for raw, want := range map[string]Reason{
		strings.Repeat("x", MaxRequestID):               OK,
		`"` + strings.Repeat("x", MaxRequestID) + `". `: OK,
		strings.Repeat("x", oneOver):                    Invalid,
		"a\nb":                                          Invalid,
		"a\x7fb":                                        Invalid,
		"N.A.":                                          Absent,
		"None.":                                         Absent,
		"<id_unknown>:":                                 Absent,
		"cmpl-None":                                     Absent,
		"chatcmpl-<id_unknown>":                         Absent,
		"00000000-0000-0000-0000-000000000000":          Absent,
		"cmpl-" + zero32 + "-0":                         Absent,
	} {
		f := &Forms{}
		require.Equal(t, OK, rules.Parse("cmpl-before", f))
		assert.Equal(t, want.String(), rules.Parse(raw, f).String(), raw)
		assert.Equal(t, want == OK, f.Len() > 0, raw)
	}
}

func TestRulesAreSwitches(t *testing.T) {
	raw := "0_cmpl-" + x + "-0-9f3e1a2b"
	for _, tt := range []struct {
		rules Rules
		raw   string
		want  []string
	}{
		{Rules{}, raw, []string{raw}},
		{Rules{}, xUUID, []string{x}},
		{Rules{Prefixes: []string{"cmpl-"}}, raw, []string{raw}},
		{Rules{Prefixes: []string{"cmpl-"}, IndexPrefix: true}, raw, []string{raw, x + "-0-9f3e1a2b"}},
		{Rules{RandomSuffix: true}, raw[7:], []string{raw[7:], x + "-0"}},
		{Rules{IndexSuffix: true}, raw[7:], []string{raw[7:]}},
		{Rules{IndexSuffix: true}, x + "-0", []string{x + "-0", x}},
		{Rules{Prefixes: []string{"gw:"}, IndexSuffix: true}, "gw:a-1", []string{"gw:a-1", "a-1", "a"}},
	} {
		assert.Equal(t, tt.want, parse(t, &tt.rules, tt.raw).Strings())
	}
}
