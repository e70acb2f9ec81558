package lokitest

import (
	"maps"
	"net"
	"net/http"
	"time"
)

// Answer is what the next request gets, instead of or before Loki's own answer.
type Answer struct {
	// Status, if not 0, is answered without looking at the request.
	Status int
	Body   string
	Header http.Header
	// Delay comes before the answer; it ends early if the client goes.
	Delay time.Duration
	// Reset breaks the connection instead of an answer.
	Reset bool
	// Store takes the push as Loki would before anything else happens: what is then said of it is
	// not true, or not heard.
	Store bool
	// Times is to how many requests it applies; 0 is one.
	Times int
}

// Script adds answers for the next requests, in the order in which they come.
func (s *Server) Script(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range answers {
		for range max(a.Times, 1) {
			s.script = append(s.script, a)
		}
	}
}

// Scripted is how many answers of the script are left.
func (s *Server) Scripted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.script)
}

func (s *Server) next() (Answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.script) == 0 {
		return Answer{}, false
	}
	a := s.script[0]
	s.script = s.script[1:]
	return a, true
}

// wait waits for the delay, and reports whether the client is still there.
func (a *Answer) wait(r *http.Request) bool {
	if a.Delay <= 0 {
		return true
	}
	timer := time.NewTimer(a.Delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

func (a *Answer) replaces() bool {
	return a.Status != 0 || a.Reset
}

func (a *Answer) write(w http.ResponseWriter) {
	if a.Reset {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		if tcp, ok := conn.(*net.TCPConn); ok {
			// A reset instead of an end.
			_ = tcp.SetLinger(0)
		}
		_ = conn.Close()
		return
	}
	maps.Copy(w.Header(), a.Header)
	w.WriteHeader(a.Status)
	_, _ = w.Write([]byte(a.Body))
}
