package ids

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParseTrace reads any value as any kind: an id that is read is no zero,
// is what its own canonical text is read as, and nothing is left of one that
// is refused.
func FuzzParseTrace(f *testing.F) {
	for kind, values := range map[Kind][]string{
		KindPlain:       {w3c, short, "0x" + w3c, w3cUUID, w3cTwice, w3cBase64, "none"},
		KindTraceparent: {"00-" + w3c + "-" + span + "-01", "cc-" + w3c + "-" + span + "-01-more"},
		KindB3Single:    {w3c + "-" + span + "-1-" + short, "0"},
		KindUber:        {short + "%3A" + span + ":0:1"},
		KindDatadog:     {"1234567890123456789"},
		KindXRay:        {"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=" + span + ";Sampled=?", "1-5759e988-bd862e3fe1be46a994272793@" + span},
		KindGCP:         {"projects/p/traces/" + w3c},
		KindCloudTrace:  {w3c + "/" + spanDec + ";o=1"},
		KindAzure:       {"|" + w3c + "." + span + "."},
	} {
		for _, value := range values {
			f.Add(uint8(kind), uint8(Base64), value)
		}
	}
	f.Fuzz(func(t *testing.T, kind, opts uint8, value string) {
		id, reason := ParseSpan(Kind(kind), value, Options(opts))
		assert.Equal(t, reason == OK, !id.IsEmpty())
		if reason == OK {
			again, _ := ParseSpan(KindPlain, id.String(), 0)
			assert.Equal(t, id, again)
		}
		flags, reason := ParseFlags(Kind(kind), value)
		assert.True(t, reason == OK || flags == 0)

		tr, reason := ParseTrace(Kind(kind), value, Options(opts))
		if reason != OK {
			require.Zero(t, tr)
			return
		}
		require.False(t, tr.TraceID.IsEmpty())
		require.Equal(t, tr.HasSpan, !tr.SpanID.IsEmpty())
		require.True(t, tr.HasFlags || tr.Flags == 0)
		again, reason := ParseTrace(KindPlain, tr.TraceID.String(), 0)
		require.Equal(t, OK, reason)
		require.Equal(t, Trace{TraceID: tr.TraceID}, again)
	})
}

// FuzzForms reads any request id by any rules: a few keys, none twice, none
// longer than allowed, and each key is read as itself again.
func FuzzForms(f *testing.F) {
	for _, raw := range []string{
		x, xUUID, "cmpl-" + x, "0_cmpl-" + xUUID + "-0-9f3e1a2b.", "order-5", "cmpl-order-5-0", " \"'N.A.", "chatcmpl-None", "cmpl--_0",
	} {
		f.Add(raw, true, true, true)
	}
	f.Fuzz(func(t *testing.T, raw string, index, random, sample bool) {
		rules := DefaultRules()
		rules.IndexSuffix, rules.RandomSuffix, rules.IndexPrefix = index, random, sample
		var forms Forms
		reason := rules.Parse(raw, &forms)
		if reason != OK {
			require.Zero(t, forms.Len())
			return
		}
		keys := forms.Strings()
		require.NotEmpty(t, keys)
		require.LessOrEqual(t, len(keys), maxForms)
		require.False(t, forms.Cut(0))
		seen := map[string]bool{}
		for _, key := range keys {
			require.NotEmpty(t, key)
			require.LessOrEqual(t, len(key), min(len(raw), MaxRequestID))
			require.False(t, seen[key], key)
			require.False(t, zero(key) || placeholder(key), key)
			seen[key] = true
		}
		var again Forms
		require.Equal(t, OK, rules.Parse(keys[0], &again))
		require.Equal(t, keys, again.Strings())
		require.True(t, Match(&forms, &again))
	})
}
