package entry

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// resource is what records of one resource have in common.
type resource struct {
	attrs  pcommon.Map
	values []string // by entry of Config.Labels
	tenant string
	meta   []item
	texts  int // of temp that are meta's
}

func (r *resource) reset() {
	clear(r.values)
	clear(r.meta)
	*r = resource{values: r.values[:0], meta: r.meta[:0]}
}

// scope is what records of one scope have in common.
type scope struct {
	scope pcommon.InstrumentationScope
	name  string
	meta  []item
	texts int // of temp that are meta's, and the resource's
}

func (s *scope) reset() {
	clear(s.meta)
	*s = scope{meta: s.meta[:0]}
}

// enterResource reads a resource.
func (b *batch) enterResource(rl plog.ResourceLogs) {
	r := &b.resource
	r.reset()
	r.attrs = rl.Resource().Attributes()
	for i := range b.c.sources {
		s := &b.c.sources[i]
		value := ""
		if v, ok := r.attrs.Get(s.Resource); ok && s.Resource != "" {
			value = b.labelValue(v)
		}
		r.values = append(r.values, value)
	}
	if key := b.c.cfg.Tenant.Resource; key != "" {
		r.tenant = attribute(r.attrs, key)
	}
	if b.c.cfg.StructuredMetadata {
		b.temp.cut(0)
		r.meta = b.collect(r.meta, r.attrs)
		r.texts = b.temp.len()
	}
}

// enterScope reads a scope.
func (b *batch) enterScope(sl plog.ScopeLogs) {
	s := &b.scope
	s.reset()
	s.scope = sl.Scope()
	s.name, _ = b.clean(s.scope.Name(), maxLabelValueLength)
	if !b.c.cfg.StructuredMetadata {
		return
	}
	b.shared.reset()
	b.pattern.reset()
	b.temp.cut(b.resource.texts)
	s.meta = append(s.meta, b.text(nameScope, s.scope.Name()), b.text(nameScopeVersion, s.scope.Version()))
	s.meta = b.collect(s.meta, s.scope.Attributes())
	s.texts = b.temp.len()
}

// attribute returns an attribute as text; empty for what is none.
func attribute(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok {
		return ""
	}
	return scalar(v)
}

// scalar returns a value as text; empty for what is none.
func scalar(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return v.Str()
	case pcommon.ValueTypeInt, pcommon.ValueTypeDouble, pcommon.ValueTypeBool:
		return v.AsString()
	default:
		return ""
	}
}

// labelValue returns an attribute as the value of a label.
func (b *batch) labelValue(v pcommon.Value) string {
	value, _ := b.clean(scalar(v), maxLabelValueLength)
	return value
}
