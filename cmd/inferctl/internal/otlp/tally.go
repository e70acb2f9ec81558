package otlp

import (
	"errors"
	"sync"
)

// errBroken is what an export gets after another one has failed for good.
var errBroken = errors.New("not tried: an earlier export failed")

// Tally counts the items of exports. It is safe for concurrent use.
type Tally struct {
	mu           sync.Mutex
	sent, failed int
	first        error
	broken       chan struct{}
}

// NewTally returns a tally with nothing on it.
func NewTally() *Tally { return &Tally{broken: make(chan struct{})} }

// Result is the number of items sent and failed so far, and the first error
// that made one fail.
func (t *Tally) Result() (sent, failed int, first error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sent, t.failed, t.first
}

// Broken is closed when an export fails for good.
func (t *Tally) Broken() <-chan struct{} { return t.broken }

// Fail notes an error that cost an unknown number of items.
func (t *Tally) Fail(err error) { t.book(0, err) }

// export runs one export of n items, unless one has failed before: a receiver
// that is gone for good would make every later export wait in vain too.
func (t *Tally) export(n int, do func() error) {
	select {
	case <-t.broken:
		t.book(n, errBroken)
	default:
		t.book(n, do())
	}
}

func (t *Tally) book(n int, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.sent += n
		return
	}
	t.failed += n
	if t.first == nil {
		t.first = err
		close(t.broken)
	}
}
