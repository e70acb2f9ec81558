package lokitest

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Pair is a piece of structured metadata.
type Pair struct {
	Name, Value string
}

// Record is an entry that was kept, or one of a request.
type Record struct {
	Tenant string
	// Labels are those of the stream. Kept records have the service_name that Loki adds.
	Labels map[string]string
	Time   time.Time
	Line   string
	// Metadata is in the order in which it was sent; kept records have Loki's names.
	Metadata []Pair
}

// Get returns the first value of a name among the metadata, and whether there is one.
func (r *Record) Get(name string) (string, bool) {
	for _, p := range r.Metadata {
		if p.Name == name {
			return p.Value, true
		}
	}
	return "", false
}

// Query selects records; what is not set selects all.
type Query struct {
	Tenant string
	// Labels and Metadata have to be there with these values; an empty value asks for absence.
	Labels, Metadata map[string]string
	// Contains is a part of the line.
	Contains string
}

func (q *Query) matches(r *Record) bool {
	if q.Tenant != "" && q.Tenant != r.Tenant || !strings.Contains(r.Line, q.Contains) {
		return false
	}
	for name, value := range q.Labels {
		if r.Labels[name] != value {
			return false
		}
	}
	for name, value := range q.Metadata {
		if got, _ := r.Get(name); got != value {
			return false
		}
	}
	return true
}

// Records returns what was kept and is asked for, by time, and within one time as it came.
func (s *Server) Records(q Query) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Record
	for _, tenant := range slices.Sorted(maps.Keys(s.tenants)) {
		t := s.tenants[tenant]
		for _, labels := range slices.Sorted(maps.Keys(t.streams)) {
			for _, r := range t.streams[labels].records {
				if q.matches(&r) {
					found = append(found, r)
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Record) int { return a.Time.Compare(b.Time) })
	return found
}

// Streams returns the labels of a tenant's streams, sorted, as Loki writes them.
func (s *Server) Streams(tenant string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[tenant]; t != nil {
		return slices.Sorted(maps.Keys(t.streams))
	}
	return nil
}
