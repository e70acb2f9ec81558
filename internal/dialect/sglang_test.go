package dialect

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Scenario: the roots that SGLang writes, by role.
// Guarantees: those of an engine are calls or legs of one; the legs of one room
// are alike, whoever is above them; the prefill leg has no first token and no
// output.
func TestSGLangRoots(t *testing.T) {
	read := func(name string, room any, parent byte) Facts {
		attrs := map[string]any{
			"gen_ai.latency.e2e": 0.5, "gen_ai.latency.time_to_first_token": 0.1, "gen_ai.usage.completion_tokens": 1,
			"gen_ai.response.finish_reasons": `["length"]`,
		}
		if room != nil {
			attrs["bootstrap_room"] = room
		}
		td, span := spanWith(name, attrs)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("sglang server")
		if parent != 0 {
			span.SetParentSpanID(pcommon.SpanID{parent})
		}
		return readOne(t, td)
	}
	for name, leg := range map[string]Leg{
		" Req 3f2a91bc": LegWhole, "Req 3f2a91bc": LegWhole, "prefill Req 3f2a91bc": LegPrefill, "decode Req 3f2a91bc": LegDecode,
	} {
		f := read(name, "0x1b2c", 7)
		assert.Equal(t, PartCall, f.Part, name)
		assert.Equal(t, leg, f.Details.Leg, name)
		_, hasTTFT := f.Details.Values.Get(ValueTTFT)
		assert.Equal(t, leg != LegPrefill, hasTTFT, name)
		assert.Equal(t, leg != LegPrefill, f.Details.OutputTokens.Known(), name)
	}
	for _, name := range []string{"router Req 3f2a91bc", "Sender Req 3f2a91bc", "Bootstrap Room 0x1b2c"} {
		assert.Equal(t, PartPlain, read(name, "0x1b2c", 7).Part, name)
	}
	of := func(name string, room any, parent byte) uint64 { return read(name, room, parent).Details.Sequences }
	assert.Equal(t, of("prefill Req a", "0x1b2c", 7), of("decode Req b", "0x1b2c", 8), "one room")
	assert.NotEqual(t, of("prefill Req a", "0x1b2c", 7), of("decode Req b", "0x1b2d", 7), "two rooms")
	assert.Equal(t, of("prefill Req a", nil, 7), of("decode Req b", nil, 7), "the span of the room is above both")
	assert.NotEqual(t, of("prefill Req a", nil, 7), of("decode Req b", nil, 8))
	assert.Zero(t, of("prefill Req a", nil, 0))
	assert.Zero(t, of(" Req a", "0x1b2c", 7), "no leg")
}

// Scenario: a span for each stage, of engines that do both and of legs.
// Guarantees: the part of the call that it is.
func TestSGLangStages(t *testing.T) {
	for name, want := range map[string]Value{
		"api_server_dispatch": ValuePreprocess, "prefill_prepare": ValuePreprocess, "decode_prepare": ValuePreprocess,
		"prefill_bootstrap": ValueQueue, "prefill_waiting": ValueQueue, "decode_waiting": ValueQueue,
		"prefill_forward": ValuePrefill, "prefill_transfer_kv_cache": ValueKVTransfer, "decode_forward": ValueDecode,
	} {
		td, _ := spanWith(name, nil)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("sglang server")
		f := readOne(t, td)
		assert.Equal(t, PartInside, f.Part, name)
		assert.Equal(t, want, f.Inside(), name)
	}
	for _, name := range []string{"decode_bootstrap", "decode_transferred", "fake_output", "Scheduler [TP 0]  [PP 1] (host:0a1b2c3d | pid:412)"} {
		td, _ := spanWith(name, nil)
		td.ResourceSpans().At(0).ScopeSpans().At(0).Scope().SetName("sglang server")
		assert.Equal(t, PartPlain, readOne(t, td).Part, name)
	}
}
