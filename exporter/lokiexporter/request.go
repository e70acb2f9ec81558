package lokiexporter

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// request is entries as they will be sent, by tenant. It is not changed once it is made, but by
// MergeSplit.
type request struct {
	tenants []tenant
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

// BytesSize is the size of what Loki counts, and of the labels.
func (r *request) BytesSize() int {
	n := 0
	for i := range r.tenants {
		n += r.tenants[i].bytes()
		for _, s := range r.tenants[i].streams {
			n += len(s.Labels)
		}
	}
	return n
}

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
	merged := r
	if other != nil {
		o, ok := other.(*request)
		if !ok {
			return nil, fmt.Errorf("cannot merge a %T", other)
		}
		merged = merge(r, o)
	}
	if limit == 0 {
		return []xexporterhelper.Request{merged}, nil
	}
	size := func(*push.Entry) int { return 1 }
	if sizer == exporterhelper.RequestSizerTypeBytes {
		size = func(e *push.Entry) int { return e.Size }
	}
	return split(merged, limit, size, sizer == exporterhelper.RequestSizerTypeBytes), nil
}

// merge keeps the order of the entries of a stream.
func merge(a, b *request) *request {
	m := &request{tenants: append([]tenant(nil), a.tenants...)}
	for _, t := range b.tenants {
		at := -1
		for i := range m.tenants {
			if m.tenants[i].name == t.name {
				at = i
			}
		}
		if at < 0 {
			m.tenants = append(m.tenants, t)
			continue
		}
		m.tenants[at] = tenant{name: t.name, streams: mergeStreams(m.tenants[at].streams, t.streams)}
	}
	return m
}

func mergeStreams(a, b []push.Stream) []push.Stream {
	merged := append([]push.Stream(nil), a...)
	place := make(map[string]int, len(merged))
	for i := range merged {
		place[merged[i].Labels] = i
	}
	for _, s := range b {
		if i, ok := place[s.Labels]; ok {
			merged[i].Entries = append(slices.Clip(merged[i].Entries), s.Entries...)
			continue
		}
		place[s.Labels] = len(merged)
		merged = append(merged, s)
	}
	return merged
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
					part.add(t.name, s.Labels, s.Entries[begin:i])
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
}
