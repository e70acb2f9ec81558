package extract

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseTime(t *testing.T) {
	for text, want := range map[string]float64{
		"1.5s": 1500, "350.1µs": 0.3501, "43.2μs": 0.0432, "12ms": 12, "12 ms": 12, "7ns": 7e-6, "7us": 7e-3,
		"1m2.5s": 62500, "1h": 3600e3, "1h0m0.5s": 3600500, "2 seconds": 2000, " 3s ": 3000, "-5ms": -5,
		"PT1.5S": 1500, "PT1M": 60e3, "PT1H1M1S": 3661e3, "P1DT1S": 86401e3, "1e3ms": 0,
	} {
		ms, hasUnit, ok := parseTime(text, noUnit)
		if text == "1e3ms" {
			assert.False(t, ok, text)
			continue
		}
		assert.True(t, ok && hasUnit, text)
		assert.InDelta(t, want, ms, 1e-9, text)
	}
	for _, text := range []string{
		"", "-", "ms", "5x", "5 apples", "1s2", "P", "PT", "PT5", "P1M", "P1Y", "PTS", "NaN", "Inf", "1.2.3", "1,5s", "s5",
		strings.Repeat("1", 100), "1..2s", "--5ms",
	} {
		_, _, ok := parseTime(text, noUnit)
		assert.False(t, ok, text)
	}
	n, hasUnit, ok := parseTime("2.5", noUnit)
	assert.True(t, ok && !hasUnit)
	assert.InDelta(t, 2.5, n, 0)
	n, hasUnit, ok = parseTime("2.5", seconds)
	assert.True(t, ok && hasUnit)
	assert.InDelta(t, 2500, n, 0)
	n, _, _ = parseTime("2.5ms", seconds)
	assert.InDelta(t, 2.5, n, 0, "a unit of its own counts")
}

func TestFold(t *testing.T) {
	for name, want := range map[string]string{
		"queue_time_ms": "queue_time_ms", "queueTimeMs": "queue_time_ms", "Queue-Time.MS": "queue_time_ms",
		"QUEUE_TIME_MS": "queue_time_ms", "ttftMs": "ttft_ms", "TTFTMs": "ttft_ms", "E2ELatency": "e2e_latency",
		"e2eLatency": "e2e_latency", "x-queue-time": "x_queue_time", "promptTokenCount": "prompt_token_count",
		"gen_ai.usage.input_tokens": "gen_ai_usage_input_tokens", "__a__b__": "a_b", "": "", "---": "",
		"queue_times": "queue_times", "queueTimeS": "queue_time_s",
		strings.Repeat("a", 64): strings.Repeat("a", 64), strings.Repeat("a", 65): "",
	} {
		var buf [longestName]byte
		assert.Equal(t, want, string(buf[:fold(&buf, name)]), name)
	}
}

// TestNameCacheIsBounded floods the cache with names from several goroutines.
func TestNameCacheIsBounded(t *testing.T) {
	c := newNameCache()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 5000 {
				name := strings.Repeat("x", i%60) + string(rune('a'+i%26)) + string(rune('a'+g))
				assert.Equal(t, resolve(name), c.of(name), name)
				assert.Equal(t, resolve("trace_id"), c.of("trace_id"))
				assert.Equal(t, resolve("queueTimeMs"), c.of("queueTimeMs"))
			}
		})
	}
	wg.Wait()
	assert.Equal(t, entry{}, c.of(strings.Repeat("x", longestName+1)))
}

// TestNamesHaveOneMeaning finds names that two tables claim.
func TestNamesHaveOneMeaning(t *testing.T) {
	claimed := map[string]string{}
	claim := func(name, by string) {
		if other, ok := claimed[name]; ok {
			t.Errorf("%s is both %s and %s", name, other, by)
		}
		claimed[name] = by
	}
	for _, table := range []map[Field][]string{texts, counts} {
		for field, names := range table {
			for _, name := range names {
				claim(name, field.String())
			}
		}
	}
	for field, stems := range times {
		for _, stem := range stems {
			claim(stem, field.String())
			for suffix := range unitSuffixes {
				claim(stem+suffix, field.String())
			}
		}
	}
	for _, stem := range whole {
		claim(stem, "whole")
	}
	for _, name := range aboutRequest {
		claim(name, "about")
	}
}
