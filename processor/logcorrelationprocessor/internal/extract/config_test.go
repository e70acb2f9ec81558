package extract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

func TestDefaultsAreValid(t *testing.T) {
	cfg := DefaultConfig()
	require.NoError(t, cfg.Check())
}

func TestCheckReportsAllMistakes(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Parsers = []string{"vllm", "vlm", "vllm"}
	cfg.MaxBody = 5
	cfg.ForeignTraceIDs = []string{""}
	cfg.RequestID.Prefixes = []string{""}
	cfg.Regexes = []Regex{
		{Name: "a", Pattern: "("},
		{Name: "a", Pattern: "(?P<queue_time>[0-9]+) (?P<shoe_size>[0-9]+)", Services: []string{""}},
		{},
		{Name: "b", Pattern: "no groups"},
	}
	_, err := New(cfg)
	require.Error(t, err)
	for _, want := range []string{
		`parsers::1: there is no parser "vlm"; choose from bentoml,`,
		`parsers::2: "vllm" is there twice`,
		"max_body: must be at least 256",
		"foreign_trace_ids::0: must not be empty",
		"request_id: prefixes::0:",
		"regexes::0: pattern: error parsing regexp",
		`regexes::1: pattern: group "queue_time" says no unit`,
		`group "shoe_size" means nothing`,
		"services::0: must not be empty",
		`name: "a" is already that of regexes::0`,
		"regexes::2: name: must not be empty",
		"pattern: must not be empty",
		"regexes::3: pattern: has no named group",
	} {
		require.ErrorContains(t, err, want)
	}
	cfg = DefaultConfig()
	cfg.Regexes = make([]Regex, 33)
	assert.ErrorContains(t, cfg.Check(), "regexes: must be at most 32")
}

func TestRegexes(t *testing.T) {
	x := newExtractor(t, func(c *Config) {
		c.Regexes = []Regex{
			{Name: "mine", Pattern: `^TRACE (?P<trace_id>\S+) (?P<span_id>\S+) q=(?P<queue_time_s>\S+) t=(?P<latency_us>\S+)(?: m=(?P<model_name>\S+))?`},
			{Name: "theirs", Pattern: `req<(?P<request_id>[^>]+)>`, Services: []string{"engine"}},
		}
	})
	engine, f := pcommon.NewMap(), &Found{}
	engine.PutStr("service.name", "engine")

	x.Extract(engine, record(t, "TRACE "+traceHex+" "+spanHex+" q=0.5 t=1500", nil), f)
	assert.Equal(t, "regex/mine trace=T span=S class=request_end queue_time_ms=500 total_time_ms=1.5", told(f))
	x.Extract(engine, record(t, "TRACE zz "+spanHex+" q=x t=1 m=llama trace_id="+traceHex, nil), f)
	assert.Equal(t, "regex/mine span=S class=request_end model_name=llama total_time_ms=0.001 invalid=1 dropped=1", told(f), "it reads the body alone")
	x.Extract(engine, record(t, "done req<a1>", nil), f)
	assert.Equal(t, "regex/theirs request=a1", told(f))
	x.Extract(pcommon.NewMap(), record(t, "done req<a1>", nil), f)
	assert.Empty(t, told(f), "of another service")
	x.Extract(engine, record(t, "Added request a1.", nil), f)
	assert.Equal(t, "vllm request=a1 class=request_start", told(f), "no match leaves it to the others")
	x.Extract(engine, record(t, strings.Repeat(" ", defaultMaxBody)+"req<a1>", nil), f)
	assert.Empty(t, told(f), "behind max_body")
}
