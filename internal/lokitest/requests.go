package lokitest

import (
	"crypto/sha256"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Request is a request as it came.
type Request struct {
	Header http.Header
	// Body is as it was sent, compressed.
	Body []byte
	Time time.Time
	// Records are its entries; none if it cannot be read, of which Error tells why.
	Records []Record
	Error   string
	// Violations are what is wrong about it though Loki takes it: fields that are not for
	// clients, an entry without a timestamp.
	Violations []string
	// Status is that of the answer, 0 if there was none.
	Status int
}

// Stats count since the start, or the last Reset.
type Stats struct {
	// Requests are all that came whole; Repeated are those of which each byte had come before.
	Requests, Repeated int
	// ByStatus counts answers.
	ByStatus map[int]int
	// Entries are all that came. RepeatedEntries had come before with the same metadata; of
	// ChangedEntries tenant, labels, time and line had, with other metadata.
	Entries, RepeatedEntries, ChangedEntries int
	// Kept are the entries that Records finds, Dropped those that were taken for duplicates.
	Kept, Dropped int
	// Collisions counts names of metadata that came twice in one entry, after sanitising.
	Collisions int
	// Violations counts those of requests.
	Violations int
}

// Stats returns the counts.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.ByStatus = maps.Clone(stats.ByStatus)
	return stats
}

// Requests returns all requests in the order in which they came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// arrivals are what has come, taken or not.
type arrivals struct {
	entries map[arrival][]Pair
	bodies  map[[sha256.Size]byte]bool
}

type arrival struct {
	tenant, labels string
	key            lineKey
}

func newArrivals() arrivals {
	return arrivals{map[arrival][]Pair{}, map[[sha256.Size]byte]bool{}}
}

// arrived counts a request and returns its number.
func (s *Server) arrived(header http.Header, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Request{Header: header.Clone(), Body: body, Time: s.now()}
	s.stats.Requests++
	// A tenant that is refused is no reason not to look at the rest.
	id, refused := tenantOf(header, s.auth)
	if refused != nil {
		id = header.Get(tenantHeader)
	}
	sum := sha256.Sum256(append([]byte(id+"\n"), body...))
	if s.arrivals.bodies[sum] {
		s.stats.Repeated++
	}
	s.arrivals.bodies[sum] = true

	streams, violations, refused := decode(header, body, &Limits{}, s.version)
	r.Violations = violations
	s.stats.Violations += len(violations)
	if refused != nil {
		r.Error = refused.text
	} else {
		r.Records = s.count(id, streams)
	}
	if s.forget {
		return -1
	}
	s.requests = append(s.requests, r)
	return len(s.requests) - 1
}

func (s *Server) count(id string, streams []stream) []Record {
	var records []Record
	for _, from := range streams {
		set, _ := parseLabels(from.labels)
		labels := toMap(set)
		for _, e := range from.entries {
			s.stats.Entries++
			key := arrival{id, from.labels, lineKey{e.time.UnixNano(), e.line}}
			switch before, ok := s.arrivals.entries[key]; {
			case !ok:
				s.arrivals.entries[key] = e.metadata
			case slices.Equal(before, e.metadata):
				s.stats.RepeatedEntries++
			default:
				s.stats.ChangedEntries++
			}
			records = append(records, Record{Tenant: id, Labels: labels, Time: e.time, Line: e.line, Metadata: e.metadata})
		}
	}
	return records
}

// answered counts an answer. A reset has none.
func (s *Server) answered(number, status int) {
	if status == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.ByStatus[status]++
	// Reset may have been called in between.
	if 0 <= number && number < len(s.requests) {
		s.requests[number].Status = status
	}
}
