package extract

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/otelcol-inference/otelcol-inference/internal/ids"
)

// maxDepth is how deep containers are looked into: out.meta_info.id of SGLang,
// record.extra.trace_id of loguru.
const maxDepth = 2

// readMap reads attributes, or a body that is a map. own says that the keys
// are those of the record's attributes.
func (x *Extractor) readMap(f *Found, m pcommon.Map, p place, own bool) {
	x.readMapUnder(f, m, p, own, 0, "", nestPlain)
	if p.set.plain && f.wanted.program == programLiteLLM && p.opts&ids.ForeignTraceID == 0 {
		// What was read as a trace id is LiteLLM's own.
		p.set.reset()
		p.opts |= ids.ForeignTraceID
		x.readMapUnder(f, m, p, own, 0, "", nestPlain)
	}
}

func (x *Extractor) readMapUnder(f *Found, m pcommon.Map, p place, own bool, depth int, name string, nest nesting) {
	p.rank += rankDepth
	for key, v := range m.All() {
		e := x.lookUp(name, key, nest)
		if e.means == meansNothing {
			continue
		}
		if v.Type() == pcommon.ValueTypeMap {
			if e.nest != 0 && depth < maxDepth {
				x.readMapUnder(f, v.Map(), p, own, depth+1, joined(name, key, e.nest), e.nest)
			}
			continue
		}
		val, ok := valueOf(v)
		if !ok {
			continue
		}
		if e.means == meansID && val.isNumber {
			val.text = v.AsString()
		}
		q := p
		if own && depth == 0 {
			q.key = key
		}
		x.take(f, &e, val, q)
	}
}

// lookUp returns the meaning of a key inside a container.
func (x *Extractor) lookUp(container, key string, nest nesting) entry {
	if nest&nestPrefixed != 0 && len(container)+len(key) < longestName {
		if e := x.names.of(container + "." + key); e.means != meansNothing {
			return e
		}
	}
	if nest&nestPlain == 0 {
		return entry{}
	}
	return x.names.of(key)
}

// joined is the name of a container inside another.
func joined(outer, key string, nest nesting) string {
	if nest&nestPrefixed == 0 || outer == "" {
		return key
	}
	return outer + "." + key
}

// serviceOf returns service.name of a resource.
func serviceOf(resource pcommon.Map) string {
	v, ok := resource.Get("service.name")
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return ""
	}
	return v.Str()
}

// bodyText returns the body where it is text; bytes are copied, up to limit.
func bodyText(body pcommon.Value, limit int) string {
	switch body.Type() {
	case pcommon.ValueTypeStr:
		return body.Str()
	case pcommon.ValueTypeBytes:
		raw := body.Bytes()
		var b strings.Builder
		for i := range min(raw.Len(), limit) {
			b.WriteByte(raw.At(i))
		}
		return b.String()
	default:
		return ""
	}
}
