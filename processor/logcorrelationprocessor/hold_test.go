package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
)

// Scenario: rules by severity, parser, service and line, and their waits.
// Guarantees: the first rule that fits decides, all that is given must fit, and what no rule fits
// waits for as long as the processor says, but for lines of a request's start.
func TestHoldRules(t *testing.T) {
	const (
		start = "INFO 08-21 12:00:00 [logger.py:42] Received request cmpl-a1: params: x"
		end   = "INFO 08-21 12:00:00 [async_llm.py:141] Finished request cmpl-a1."
	)
	severity := func(n plog.SeverityNumber, write func(plog.LogRecord)) func(plog.LogRecord) {
		return func(rec plog.LogRecord) {
			write(rec)
			rec.SetSeverityNumber(n)
		}
	}
	for name, tt := range map[string]struct {
		rules   []HoldRule
		service string
		write   func(plog.LogRecord)
		waits   time.Duration // 0: it goes on at once
	}{
		"no rule":                    {nil, "engine", about(1), 15 * time.Second},
		"no rule, request's start":   {nil, "engine", saying(start), 0},
		"no rule, request's end":     {nil, "engine", saying(end), 15 * time.Second},
		"start is held":              {[]HoldRule{{Line: "start", Hold: true}}, "engine", saying(start), 15 * time.Second},
		"a wait of its own":          {[]HoldRule{{Line: "end", Hold: true, Wait: time.Minute}}, "engine", saying(end), time.Minute},
		"another line":               {[]HoldRule{{Line: "end", Hold: true, Wait: time.Minute}}, "engine", about(1), 15 * time.Second},
		"any line":                   {[]HoldRule{{Line: "any", Hold: true, Wait: time.Minute}}, "engine", saying(start), time.Minute},
		"nothing waits":              {[]HoldRule{{}}, "engine", about(1), 0},
		"severe enough":              {[]HoldRule{{MinSeverity: "warn", Hold: true, Wait: time.Minute}, {}}, "engine", severity(plog.SeverityNumberError, about(1)), time.Minute},
		"just severe enough":         {[]HoldRule{{MinSeverity: "warn", Hold: true, Wait: time.Minute}, {}}, "engine", severity(plog.SeverityNumberWarn, about(1)), time.Minute},
		"not severe enough":          {[]HoldRule{{MinSeverity: "warn", Hold: true, Wait: time.Minute}, {}}, "engine", severity(plog.SeverityNumberInfo4, about(1)), 0},
		"of no severity":             {[]HoldRule{{MinSeverity: "trace", Hold: true, Wait: time.Minute}, {}}, "engine", about(1), 0},
		"by parser":                  {[]HoldRule{{Parsers: []string{"json", "vllm"}}}, "engine", saying(end), 0},
		"by another parser":          {[]HoldRule{{Parsers: []string{"json"}}}, "engine", saying(end), 15 * time.Second},
		"by a regex of one's own":    {[]HoldRule{{Parsers: []string{"regex/mine"}}}, "engine", saying("mine r-17 done"), 0},
		"by service":                 {[]HoldRule{{Services: []string{"gate", "eng.*"}}}, "engine", about(1), 0},
		"by the whole service":       {[]HoldRule{{Services: []string{"eng", "gine"}}}, "engine", about(1), 15 * time.Second},
		"of no service":              {[]HoldRule{{Services: []string{".+"}}}, "", about(1), 15 * time.Second},
		"all must fit":               {[]HoldRule{{Services: []string{"engine"}, Line: "end", MinSeverity: "error"}}, "engine", saying(end), 15 * time.Second},
		"all fit":                    {[]HoldRule{{Services: []string{"engine"}, Line: "end", Parsers: []string{"vllm"}}}, "engine", saying(end), 0},
		"the first that fits":        {[]HoldRule{{Line: "start"}, {Hold: true, Wait: time.Minute}, {}}, "engine", about(1), time.Minute},
		"nothing to wait for at all": {[]HoldRule{{Hold: true, Wait: time.Minute}}, "engine", saying("server starting"), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(cfg *Config) {
					cfg.Hold = tt.rules
					cfg.Regexes = []extract.Regex{{Name: "mine", Pattern: `^mine (?P<request_id>\S+)`}}
				})
				r.log(batch(tt.service, tt.write))
				if tt.waits > 0 {
					require.Empty(t, r.out.all())
					time.Sleep(tt.waits - time.Millisecond)
					require.Empty(t, r.out.all())
					after(0)
				}
				require.Len(t, r.out.all(), 1)
				assert.Equal(t, tt.waits > 0, attr(r.out.all()[0], attrWait) != "")
			})
		})
	}
}

// Scenario: records that came at different times, with waits of different length.
// Guarantees: each leaves at its own deadline, whoever came first.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(cfg *Config) {
			cfg.Hold = []HoldRule{
				{Services: []string{"slow"}, Hold: true, Wait: maxWait},
				{Services: []string{"quick"}, Hold: true, Wait: time.Second},
			}
		})
		r.log(batch("slow", about(1)))
		r.log(batch("engine", about(2)))
		r.log(batch("quick", about(3)))
		var left []time.Duration
		start := time.Now()
		for len(left) < 3 {
			time.Sleep(tick)
			for range len(r.out.all()) - len(left) {
				left = append(left, time.Since(start).Round(time.Second))
			}
		}
		assert.Equal(t, []time.Duration{time.Second, 15 * time.Second, maxWait}, left)
		assert.Equal(t, map[string]int64{"deadline": 3}, r.numbers("released_records", "cause"))
	})
}
