package lokitest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// tenant is what a tenant has.
type tenant struct {
	rate    *bucket
	streams map[string]*kept
}

// kept is a stream in the ingester.
type kept struct {
	labels  map[string]string
	rate    *bucket
	newest  time.Time
	last    *entry
	records []Record
	// lines are the kept entries by time and line; the values are the metadata of each.
	lines map[lineKey][][]Pair
}

type lineKey struct {
	time int64
	line string
}

// ingest limits the rate of a whole push and hands its streams to the ingester. The answer is
// that of the last stream with something wrong about it.
func (s *Server) ingest(id string, l *Limits, streams []parsed) *refusal {
	now := s.now()
	t := s.tenants[id]
	if t == nil {
		t = &tenant{rate: newBucket(l.IngestionBurst, now), streams: map[string]*kept{}}
		s.tenants[id] = t
	}
	lines, bytes := 0, 0
	for _, p := range streams {
		for i := range p.entries {
			lines++
			bytes += p.entries[i].size()
		}
	}
	if !t.rate.allow(now, bytes, l.IngestionRate, l.IngestionBurst) {
		return refuse(http.StatusTooManyRequests, "Ingestion rate limit exceeded for user %s (limit: %d bytes/sec) while attempting to ingest "+
			"'%d' lines totaling '%d' bytes, reduce log volume or contact your Loki administrator to see if the limit can be increased",
			id, l.IngestionRate, lines, bytes)
	}
	var answer *refusal
	for _, p := range streams {
		k := t.streams[p.labels]
		if k == nil {
			if l.MaxStreams > 0 && len(t.streams) >= l.MaxStreams {
				answer = refuse(http.StatusTooManyRequests, "Maximum active stream limit exceeded when trying to create stream %s, "+
					"reduce the number of active streams (reduce labels or reduce label values), "+
					"or contact your Loki administrator to see if the limit can be increased, user: '%s'", p.labels, id)
				continue
			}
			k = &kept{labels: toMap(p.set), rate: newBucket(l.PerStreamBurst, now), lines: map[lineKey][][]Pair{}}
			t.streams[p.labels] = k
		}
		if r := s.append(id, l, k, &p, now); r != nil {
			answer = r
		}
	}
	return answer
}

// failed is an entry that the ingester refuses.
type failed struct {
	entry   *entry
	text    string
	limited bool
}

// append adds the entries of a push to a stream.
func (s *Server) append(id string, l *Limits, k *kept, p *parsed, now time.Time) *refusal {
	var wrong []failed
	var take []*entry
	newest, last, bytes := k.newest, k.last, 0
	for i := range p.entries {
		e := &p.entries[i]
		// The same again at once is dropped before anything counts it.
		if last != nil && s.same(e, last) {
			s.stats.Dropped++
			continue
		}
		if !l.RateLimitWholeStream && !k.rate.allow(now, e.size(), l.PerStreamRate, l.PerStreamBurst) {
			wrong = append(wrong, failed{e, streamRate(l, p.labels, e), true})
			continue
		}
		if cutoff := newest.Add(-l.OutOfOrderWindow); l.OutOfOrderWindow > 0 && !newest.IsZero() && cutoff.After(e.time) {
			wrong = append(wrong, failed{e, fmt.Sprintf("entry too far behind, entry timestamp is: %s, oldest acceptable timestamp is: %s",
				e.time.Format(time.RFC3339), cutoff.Format(time.RFC3339)), false})
			continue
		}
		bytes += e.size()
		take, last = append(take, e), e
		if newest.Before(e.time) {
			newest = e.time
		}
	}
	if l.RateLimitWholeStream && !k.rate.allow(now, bytes, l.PerStreamRate, l.PerStreamBurst) {
		wrong = nil
		for _, e := range take {
			wrong = append(wrong, failed{e, streamRate(l, p.labels, e), true})
		}
		return failedEntries(id, l, p, wrong)
	}
	for _, e := range take {
		s.keep(id, k, e)
	}
	return failedEntries(id, l, p, wrong)
}

// keep stores an entry unless its stream has it.
func (s *Server) keep(id string, k *kept, e *entry) {
	k.last = e
	if k.newest.Before(e.time) {
		k.newest = e.time
	}
	key := lineKey{e.time.UnixNano(), e.line}
	metadata := sorted(e.metadata)
	if there := k.lines[key]; len(there) > 0 && (!s.version.metadataCounts() ||
		slices.ContainsFunc(there, func(m []Pair) bool { return slices.Equal(m, metadata) })) {
		s.stats.Dropped++
		return
	}
	k.lines[key] = append(k.lines[key], metadata)
	k.records = append(k.records, Record{Tenant: id, Labels: k.labels, Time: e.time, Line: e.line, Metadata: e.metadata})
	s.stats.Kept++
}

func (s *Server) same(a, b *entry) bool {
	return a.time.Equal(b.time) && a.line == b.line &&
		(!s.version.metadataCounts() || slices.Equal(sorted(a.metadata), sorted(b.metadata)))
}

func streamRate(l *Limits, labels string, e *entry) string {
	return fmt.Sprintf("Per stream rate limit exceeded (limit: %s/sec) while attempting to ingest for stream '%s' totaling %s, "+
		"consider splitting a stream via additional labels or contact your Loki administrator to see if the limit can be increased",
		byteSize(l.PerStreamRate), labels, byteSize(e.size()))
}

// failedEntries is the answer about the entries of one stream; its status is that of the last.
func failedEntries(id string, l *Limits, p *parsed, wrong []failed) *refusal {
	if len(wrong) == 0 {
		return nil
	}
	listed := wrong
	if l.MaxReturnedErrors > 0 && len(listed) > l.MaxReturnedErrors {
		listed = listed[:l.MaxReturnedErrors]
	}
	var b strings.Builder
	for _, f := range listed {
		fmt.Fprintf(&b, "entry with timestamp %s ignored, reason: '%s',\n", f.entry.time, f.text)
	}
	fmt.Fprintf(&b, "user '%s', total ignored: %d out of %d for stream: %s", id, len(wrong), len(p.entries), p.labels)
	status := http.StatusBadRequest
	if wrong[len(wrong)-1].limited {
		status = http.StatusTooManyRequests
	}
	return &refusal{status, b.String()}
}
