package extract

import "slices"

// textParser is a built-in parser of lines of text.
type textParser struct {
	name string
	// read reports whether the line is one of its format; only then may it
	// have changed f. A line of another format must be refused at a glance.
	read func(x *Extractor, f *Found, l *line, p place) bool
}

// textParsers are tried in order, the general one last.
var textParsers = []textParser{
	{"vllm", readVLLM},
	{"sglang", readSGLang},
	{"triton", readTriton},
	{"tgi", readTGI},
	{"bentoml", readBentoML},
	{"otel_python", readOTelPython},
	{"kserve", readKServe},
	{"ray_serve", readRayServe},
	{"envoy", readEnvoy},
	{"uvicorn", readUvicorn},
	{"spring", readSpring},
	{"logfmt", readLogfmt},
}

// ParserNames returns the names of all built-in parsers, sorted.
func ParserNames() []string {
	names := []string{"json"}
	for _, p := range textParsers {
		names = append(names, p.name)
	}
	for _, name := range programParsers {
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
