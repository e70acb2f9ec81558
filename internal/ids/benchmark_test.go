package ids

import "testing"

func BenchmarkFieldOf(b *testing.B) {
	for _, name := range []string{"trace_id", "http.request.header.x-request-id", "gen_ai.usage.input_tokens"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				FieldOf(name)
			}
		})
	}
}

func BenchmarkParseTrace(b *testing.B) {
	for _, bm := range []struct {
		name  string
		kind  Kind
		value string
	}{
		{"w3c", KindPlain, w3c},
		{"uuid", KindPlain, w3cUUID},
		{"64bit", KindPlain, short},
		{"traceparent", KindTraceparent, "00-" + w3c + "-" + span + "-01"},
		{"datadog", KindDatadog, "1234567890123456789"},
		{"xray", KindXRay, "1-5759e988-bd862e3fe1be46a994272793"},
		{"uber", KindUber, w3c + ":" + span + ":0:1"},
		{"zero", KindOTel, "0"},
		{"none", KindPlain, "None"},
		{"invalid", KindPlain, w3c[:31]},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = ParseTrace(bm.kind, bm.value, 0)
			}
		})
	}
}

func BenchmarkForms(b *testing.B) {
	rules := DefaultRules()
	var f Forms
	for _, bm := range []struct{ name, raw string }{
		{"hex", x},
		{"uuid", xUUID},
		{"cmpl", "cmpl-" + x + "-0-9f3e1a2b"},
		{"client", "order-5"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = rules.Parse(bm.raw, &f)
			}
		})
	}
}

// BenchmarkLookup measures what a store adds to Parse.
func BenchmarkLookup(b *testing.B) {
	rules := DefaultRules()
	var f Forms
	store := map[string]int{x: 1}
	b.ReportAllocs()
	for b.Loop() {
		_ = rules.Parse("cmpl-"+x+"-0-9f3e1a2b", &f)
		for i := range f.Len() {
			if store[string(f.Key(i))] > 0 {
				break
			}
		}
	}
}
