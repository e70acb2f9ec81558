package lokiexporter

import (
	"context"
	"errors"
	"fmt"

	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// request is entries as they will be sent, by tenant. It is not changed once it is made, but by
// MergeSplit.
type request struct {
	tenants []tenant
	size    int // of BytesSize
}

func newRequest(tenants []tenant) *request {
	r := &request{tenants: tenants}
	for _, t := range tenants {
		for i := range t.streams {
			r.size += streamSize(&t.streams[i])
		}
	}
	return r
}

// streamSize is what a stream counts in queues and batches.
func streamSize(s *push.Stream) int {
	n := len(s.Labels)
	for i := range s.Entries {
		n += s.Entries[i].Cost()
	}
	return n
}

// tenant is the entries of one tenant.
type tenant struct {
	name    string // "": the server chooses
	streams []push.Stream
	// limited is how often it was refused in a row as more than the tenant's rate.
	limited int
}

var (
	_ xexporterhelper.Request             = (*request)(nil)
	_ xexporterhelper.RequestErrorHandler = (*request)(nil)
)

// ItemsCount is the number of entries.
func (r *request) ItemsCount() int {
	n := 0
	for i := range r.tenants {
		n += entriesIn(r.tenants[i].streams)
	}
	return n
}

func (t *tenant) bytes() (n int) {
	for i := range t.streams {
		for k := range t.streams[i].Entries {
			n += t.streams[i].Entries[k].Size
		}
	}
	return n
}

func entriesIn(streams []push.Stream) int {
	n := 0
	for i := range streams {
		n += len(streams[i].Entries)
	}
	return n
}

// BytesSize is what entries and labels count in queues and batches.
func (r *request) BytesSize() int { return r.size }

// notSent is what is left of a request after a part of it was taken or refused for good.
type notSent struct {
	error
	left *request
}

func (e *notSent) Unwrap() error { return e.error }

// OnError returns what is to be sent again.
func (r *request) OnError(err error) xexporterhelper.Request {
	if e := (*notSent)(nil); errors.As(err, &e) {
		return e.left
	}
	return r
}

// MergeSplit joins two requests and cuts them to a size. A single entry above it stays whole.
func (r *request) MergeSplit(_ context.Context, limit int, sizer exporterhelper.RequestSizerType, other xexporterhelper.Request,
) ([]xexporterhelper.Request, error) {
	if other != nil {
		o, ok := other.(*request)
		if !ok {
			return nil, fmt.Errorf("cannot merge a %T", other)
		}
		r.merge(o)
	}
	if limit == 0 {
		return []xexporterhelper.Request{r}, nil
	}
	size := func(*push.Entry) int { return 1 }
	if sizer == exporterhelper.RequestSizerTypeBytes {
		size = (*push.Entry).Cost
	}
	return split(r, limit, size, sizer == exporterhelper.RequestSizerTypeBytes), nil
}

// merge adds another request, which is no more of use, and keeps the order of the entries of a
// stream.
func (r *request) merge(o *request) {
	r.size += o.size
	for _, t := range o.tenants {
		// The last one: after a split there can be two, and the order stays.
		at := lastIndex(r.tenants, func(own *tenant) bool { return own.name == t.name })
		if at < 0 {
			r.tenants = append(r.tenants, t)
			continue
		}
		own := &r.tenants[at]
		own.limited = 0
		find := finder(own.streams, len(t.streams))
		for _, s := range t.streams {
			k := find(s.Labels)
			if k < 0 {
				own.streams = append(own.streams, s)
				continue
			}
			own.streams[k].Entries = append(own.streams[k].Entries, s.Entries...)
			r.size -= len(s.Labels)
		}
	}
}

// finder returns how to find streams, of which so many are looked for.
func finder(streams []push.Stream, wanted int) func(labels string) int {
	const few = 256
	if len(streams)*wanted <= few {
		return func(labels string) int {
			return lastIndex(streams, func(s *push.Stream) bool { return s.Labels == labels })
		}
	}
	places := make(map[string]int, len(streams))
	for i := range streams {
		places[streams[i].Labels] = i
	}
	return func(labels string) int {
		if i, ok := places[labels]; ok {
			return i
		}
		return -1
	}
}

func lastIndex[T any](list []T, is func(*T) bool) int {
	for i := len(list) - 1; i >= 0; i-- {
		if is(&list[i]) {
			return i
		}
	}
	return -1
}

// split cuts between entries.
func split(r *request, limit int, size func(*push.Entry) int, labels bool) []xexporterhelper.Request {
	var parts []xexporterhelper.Request
	part, filled := &request{}, 0
	for _, t := range r.tenants {
		for _, s := range t.streams {
			begin, cost := 0, 0
			if labels {
				cost = len(s.Labels)
			}
			filled += cost
			for i := range s.Entries {
				n := size(&s.Entries[i])
				if filled+n > limit && (i > begin || len(part.tenants) > 0) {
					part.add(t.name, s.Labels, s.Entries[begin:i:i])
					parts = append(parts, part)
					part, filled, begin = &request{}, cost, i
				}
				filled += n
			}
			part.add(t.name, s.Labels, s.Entries[begin:])
		}
	}
	return append(parts, part)
}

func (r *request) add(name, labels string, entries []push.Entry) {
	if len(entries) == 0 {
		return
	}
	if n := len(r.tenants); n == 0 || r.tenants[n-1].name != name {
		r.tenants = append(r.tenants, tenant{name: name})
	}
	t := &r.tenants[len(r.tenants)-1]
	t.streams = append(t.streams, push.Stream{Labels: labels, Entries: entries})
	r.size += streamSize(&t.streams[len(t.streams)-1])
}
