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
	e := push.Entry{Time: st.at}
	var cut bool
	if e.Line, cut = b.format(rec); cut {
		b.tally.linesTruncated++
	}
	if b.c.cfg.StructuredMetadata {
		b.describe(rec, r, st)
		b.fit()
		b.tell(cut, r)
		e.Metadata = b.arena.keep(b.meta.pairs)
	}
	b.entries = append(b.entries, waiting{Entry: e, stream: r.stream})
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
		if s.Attribute != "" {
			*v = b.labelValue(rec.Attributes(), s.Attribute)
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
