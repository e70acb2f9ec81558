package entry

import (
	"math"
	"time"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// Batch is the entries of one tenant.
type Batch struct {
	// Tenant is empty where the server shall choose.
	Tenant  string
	Streams []push.Stream
}

// batch is the work on one Convert. It is used again.
type batch struct {
	c     *Converter
	clock clock
	tally tally
	made  *push.Texts // all else that lasts as long as the batch, and then is garbage
	texts *push.Texts // of the entries
	temp  stack

	scratch []byte // of small things
	line    []byte // of a line or a value in the making
	wire    []byte // of an entry in the making
	key     []byte

	resource resource
	scope    scope
	values   values
	// chosen are the sources whose attributes the values are, by where those are.
	chosen [len(suffixes)]uint32
	meta   metadata
	// remembered are the names of the attributes of the record before, by their place.
	remembered []*cachedName
	shared     shared
	pattern    pattern
	// attrs are the attributes of the record, and labelled which of them, counted from one, the
	// labels are taken from; zero where there is none.
	attrs    []attr
	labelled [maxLabelEntries]int
	items    []item
	sizes    []int

	client string // the tenant of the client
	// What the record before had, which the next one mostly has, too.
	lastTenant string
	lastValues values
	lastRoute  route
	known      bool

	routes  map[string]route // by tenant and values
	places  map[place]int32  // in streams
	streams []opened
	tenants map[string]string // those that were admitted
	entries []waiting
}

// route is where a record goes: to which stream, and with which labels replaced.
type route struct {
	stream              int32
	names, replaced     uint32
	byValue, byCapacity bool
}

type place struct{ tenant, labels string }

// opened is a stream of this batch.
type opened struct {
	tenant string
	stream *stream
	// floor is the oldest time that Loki takes, for what it has from batches before.
	floor   int64
	entries int
}

// waiting is an entry before it is put in order.
type waiting struct {
	push.Entry
	stream int32
}

// begin makes a batch ready for use.
func (b *batch) begin(now time.Time, client string) {
	b.clock = b.c.cfg.Timestamps.at(now)
	b.client = client
	b.tally = tally{}
	b.made, b.texts = push.NewTexts(), push.NewTexts()
	b.known = false
}

// mostKept bounds what a batch keeps for the next one.
const (
	mostKeptBytes   = 1 << 20
	mostKeptEntries = 16 << 10
)

// end lets go of all that came from records.
func (b *batch) end() {
	b.made, b.texts = nil, nil
	b.client, b.lastTenant, b.lastValues, b.values = "", "", values{}, values{}
	b.resource.reset()
	b.scope.reset()
	b.meta.reset()
	b.shared.reset()
	clear(b.routes)
	clear(b.places)
	clear(b.tenants)
	clear(b.streams)
	clear(b.entries)
	b.streams, b.entries = b.streams[:0], b.entries[:0]
	if cap(b.entries) > mostKeptEntries {
		b.entries, b.routes, b.places, b.streams = nil, map[string]route{}, map[place]int32{}, nil
	}
	clear(b.attrs[:cap(b.attrs)])
	b.temp.cut(0)
	for _, buffer := range []*[]byte{&b.line, &b.scratch, &b.wire, &b.temp.text} {
		if cap(*buffer) > mostKeptBytes {
			*buffer = nil
		}
	}
}

// route finds the stream for the values of a record.
func (b *batch) route(tenant string) route {
	if b.known && b.lastTenant == tenant && b.lastValues == b.values {
		return b.lastRoute
	}
	labels := len(b.c.labels)
	b.key = append(append(b.key[:0], byte(len(tenant))), tenant...)
	b.key = b.values.appendKey(b.key, labels)
	r, ok := b.routes[string(b.key)]
	if !ok {
		v := b.values
		key := b.made.String(b.key)
		s, replaced, crowded, scratch := b.c.active.stream(tenant, &v, b.clock.now, b.scratch)
		b.scratch = scratch
		r = route{stream: b.place(tenant, s), names: s.names, replaced: replaced, byValue: replaced&^crowded != 0, byCapacity: crowded != 0}
		b.routes[key] = r
	}
	b.known, b.lastTenant, b.lastValues, b.lastRoute = true, tenant, b.values, r
	return r
}

// place returns the place of a stream in this batch.
func (b *batch) place(tenant string, s *stream) int32 {
	// Not by the stream itself: it may have been forgotten and opened again meanwhile.
	p := place{tenant, s.labels}
	at, ok := b.places[p]
	if !ok {
		at = int32(len(b.streams))
		o := opened{tenant: tenant, stream: s, floor: math.MinInt64}
		if newest, behind := s.newest.Load(), int64(b.c.cfg.Timestamps.MaxBehind); newest != 0 && behind != 0 {
			o.floor = newest - behind
		}
		b.streams = append(b.streams, o)
		b.places[p] = at
	}
	return at
}
