package entry

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// other is the value of what is too many.
const other = "other"

// active knows what tenants have at a time: their streams and the values of their labels. It
// is safe for concurrent use.
type active struct {
	labels                          []string
	maxValues, maxStreams, maxCount int
	ttl                             int64

	mu      sync.Mutex
	tenants map[string]*tenant
	streams int
	swept   int64
}

// tenant is what one tenant has.
type tenant struct {
	values  []map[string]int64 // by label: when it was seen last
	streams map[string]*stream
	seen    int64
}

// stream is one set of labels, which never change.
type stream struct {
	labels string
	names  uint32 // which labels it has
	seen   int64
	newest atomic.Int64 // the time of its newest entry
}

// reached takes note of a newest entry.
func (s *stream) reached(t int64) {
	for {
		newest := s.newest.Load()
		if t <= newest || s.newest.CompareAndSwap(newest, t) {
			return
		}
	}
}

// values are those of the labels, by place; empty where a record has none.
type values [maxLabels + 1]string

func newActive(labels []string, cfg *Config) *active {
	return &active{
		labels: labels, maxValues: cfg.MaxLabelValues, maxStreams: cfg.MaxStreams, maxCount: cfg.Tenant.MaxTenants,
		ttl: int64(cfg.StreamTTL), tenants: map[string]*tenant{},
	}
}

// admit reports whether a tenant may have records of its own.
func (a *active) admit(name string, now int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tenants[name]
	if t == nil {
		if len(a.tenants) >= a.maxCount {
			a.sweep(now, false)
		}
		if len(a.tenants) >= a.maxCount {
			return false
		}
		a.add(name, now)
		return true
	}
	t.seen = max(t.seen, now)
	return true
}

func (a *active) add(name string, now int64) *tenant {
	t := &tenant{values: make([]map[string]int64, len(a.labels)), streams: map[string]*stream{}, seen: now}
	for i := range t.values {
		t.values[i] = map[string]int64{}
	}
	a.tenants[strings.Clone(name)] = t
	return t
}

// stream returns the stream of a tenant's record. replaced are the labels whose value is not
// the record's, byStreams those among them because of max_streams.
func (a *active) stream(name string, v *values, now int64, scratch []byte) (s *stream, replaced, byStreams uint32, _ []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.tenants[name]
	if t == nil { // swept since it was admitted, or the fixed one
		t = a.add(name, now)
	}
	t.seen = max(t.seen, now)
	for i := range a.labels {
		if v[i] != "" && !a.value(t, i, v[i], now) {
			v[i] = other
			replaced |= 1 << i
		}
	}
	scratch = v.appendKey(scratch[:0], len(a.labels))
	s = t.streams[string(scratch)]
	if s == nil && len(t.streams) >= a.ordinary() {
		a.sweep(now, false)
		if len(t.streams) >= a.ordinary() {
			s, byStreams, scratch = a.crowded(t, v, scratch)
		}
	}
	if s == nil {
		s = a.open(t, v, scratch)
	}
	s.seen = max(s.seen, now)
	return s, replaced | byStreams, byStreams, scratch
}

// value reports whether a label may have a value.
func (a *active) value(t *tenant, label int, value string, now int64) bool {
	seen := t.values[label]
	last, ok := seen[value]
	if !ok {
		if len(seen) >= a.maxValues {
			a.sweep(now, false)
		}
		if len(seen) >= a.maxValues {
			return false
		}
		seen[strings.Clone(value)] = now
		return true
	}
	if now > last {
		seen[value] = now
	}
	return true
}

// ordinary is how many streams may have only values of their own. A tenth is kept for those
// with other in them, which otherwise would find no place when they are needed.
func (a *active) ordinary() int { return a.maxStreams - max(1, a.maxStreams/10) }

// crowded finds a stream where no more ordinary ones may be opened: one label after the other
// becomes other, the one with most values first, until there is such a stream or room for it.
// For the one with nothing but other there always is.
func (a *active) crowded(t *tenant, v *values, scratch []byte) (s *stream, replaced uint32, _ []byte) {
	for range a.labels {
		most := -1
		for i := range a.labels {
			if replaced&(1<<i) == 0 && (most < 0 || len(t.values[i]) > len(t.values[most])) {
				most = i
			}
		}
		replaced |= 1 << most
		v[most] = other
		scratch = v.appendKey(scratch[:0], len(a.labels))
		if s := t.streams[string(scratch)]; s != nil || len(t.streams) < a.maxStreams-1 {
			return s, replaced, scratch
		}
	}
	return nil, replaced, scratch
}

// open adds a stream.
func (a *active) open(t *tenant, v *values, key []byte) *stream {
	s := &stream{}
	var pairs [maxLabels + 1]push.Pair
	n := 0
	for i, label := range a.labels {
		if v[i] != "" {
			pairs[n] = push.Pair{Name: label, Value: v[i]}
			n++
			s.names |= 1 << i
		}
	}
	s.labels = string(push.AppendLabels(nil, pairs[:n]))
	t.streams[string(key)] = s
	a.streams++
	return s
}

// sweep forgets what was not seen for the ttl. It looks at everything, so that it is not done
// for each record of those that find no place.
func (a *active) sweep(now int64, force bool) {
	const interval = int64(10e9)
	if !force && now-a.swept < interval {
		return
	}
	a.swept = now
	limit := now - a.ttl
	for name, t := range a.tenants {
		for key, s := range t.streams {
			if s.seen < limit {
				delete(t.streams, key)
				a.streams--
			}
		}
		for _, seen := range t.values {
			for value, last := range seen {
				if last < limit {
					delete(seen, value)
				}
			}
		}
		if t.seen < limit {
			a.streams -= len(t.streams)
			delete(a.tenants, name)
		}
	}
}

// appendKey appends what tells streams apart.
func (v *values) appendKey(dst []byte, labels int) []byte {
	for _, s := range v[:labels] {
		n := len(s)
		dst = append(dst, byte(n), byte(n>>8))
		dst = append(dst, s...)
	}
	return dst
}
