package entry

import (
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// take makes an entry of a record.
func (b *batch) take(rec plog.LogRecord) {
	st := b.clock.stamp(rec, &b.tally)
	if st.dropped {
		return
	}
	b.temp.cut(b.scope.texts)
	b.scan(rec)
	b.label(rec)
	r := b.route(b.tenant(rec))
	if b.keepUp(&st, b.streams[r.stream].floor); st.dropped {
		return
	}
	if r.byValue {
		b.tally.valueOverflow++
	}
	if r.byCapacity {
		b.tally.streamOverflow++
	}
	b.entries = append(b.entries, waiting{Entry: b.entry(rec, r, st), stream: r.stream})
}

func (b *batch) entry(rec plog.LogRecord, r route, st stamp) push.Entry {
	line, cut := b.format(rec)
	if cut {
		b.tally.linesTruncated++
	}
	e := push.Entry{Time: st.at, Size: len(line), Texts: b.texts}
	b.wire = push.AppendLine(b.wire[:0], line)
	if b.c.cfg.StructuredMetadata {
		b.annotate(&e, rec, r, st, cut)
	}
	e.Content = b.texts.String(b.wire)
	return e
}

// annotate gives an entry its metadata.
func (b *batch) annotate(e *push.Entry, rec plog.LogRecord, r route, st stamp, cut bool) {
	f := fieldsOf(rec, st)
	if !cut && b.fits(f, r) {
		if size, ok := b.repeat(rec, f, r); ok {
			e.Shared = b.shared.wire
			e.Size += size + b.shared.meta.size
			return
		}
	}
	b.describe(rec, r, st)
	if s := b.share(r); s != nil && !cut {
		e.Shared = s.wire
		e.Size += s.meta.size
		b.learn(f, r)
	} else {
		b.inherit(r)
		b.fit()
		b.tell(cut, r)
	}
	e.Size += b.meta.size
	b.wire = b.meta.append(b.wire)
}

// label finds the values of the labels, and which sources they come from.
func (b *batch) label(rec plog.LogRecord) {
	b.values, b.chosen = values{}, [len(suffixes)]uint32{}
	none := true
	for i := range b.c.sources {
		s := &b.c.sources[i]
		v := &b.values[s.slot]
		if *v != "" {
			continue
		}
		if at := b.labelled[i]; at > 0 {
			*v = b.labelValue(b.attrs[at-1].value)
		}
		if *v != "" {
			b.chosen[fromRecord] |= 1 << i
		} else if *v = b.resource.values[i]; *v != "" {
			b.chosen[fromResource] |= 1 << i
		}
		if *v == "" && s.Field != "" {
			*v = b.field(rec, s.Field)
		}
		if *v == "" {
			*v = s.Default
		}
		none = none && *v == ""
	}
	if none {
		b.tally.unlabelled++
		b.values[b.c.service] = unknownService
	}
}

func (b *batch) field(rec plog.LogRecord, field string) string {
	switch field {
	case fieldSeverity:
		return levelOf(rec)
	case fieldEventName:
		s, _ := b.clean(rec.EventName(), maxLabelValueLength)
		return s
	default:
		return b.scope.name
	}
}

// tenant returns whose a record is.
func (b *batch) tenant(rec plog.LogRecord) string {
	t := &b.c.cfg.Tenant
	name := ""
	if t.Attribute != "" {
		name = attribute(rec.Attributes(), t.Attribute)
	}
	if name == "" {
		name = b.resource.tenant
	}
	if name == "" && t.ClientMetadata != "" {
		name = b.client
	}
	if name == "" || name == t.Value {
		return t.Value
	}
	if known, ok := b.tenants[name]; ok {
		return known
	}
	if wrongTenant(name) != "" {
		b.tally.tenantInvalid++
		return t.Value
	}
	if !b.c.active.admit(name, b.clock.now) {
		b.tally.tenantOverflow++
		return t.Value
	}
	b.tenants[name] = name
	return name
}
