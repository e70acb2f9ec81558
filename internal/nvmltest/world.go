package nvmltest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// World is the state that a loaded fake answers from. Safe for concurrent use.
type World struct {
	t            testing.TB
	state, calls string // paths

	mu      sync.Mutex
	written time.Time
}

// New makes a world with the state, as Scenario.State gives it.
func New(t testing.TB, state []byte) *World {
	t.Helper()
	dir := t.TempDir()
	w := &World{t: t, state: filepath.Join(dir, "state"), calls: filepath.Join(dir, "calls")}
	w.Set(state)
	return w
}

// Env is what the process that loads the fake needs in its environment.
func (w *World) Env() []string {
	return []string{"NVMLTEST_STATE=" + w.state, "NVMLTEST_CALLS=" + w.calls}
}

// Enter puts Env in the environment of the test itself.
func (w *World) Enter(t testing.TB) {
	t.Helper()
	t.Setenv("NVMLTEST_STATE", w.state)
	t.Setenv("NVMLTEST_CALLS", w.calls)
}

// Set replaces the state at once. The fake notices at its next look; see the package's text.
func (w *World) Set(state []byte) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.state + ".next"
	write(w.t, next, state)
	// Two files of equal size within a tick of the file system's clock would look the same.
	now := time.Now()
	if !now.After(w.written) {
		now = w.written.Add(time.Microsecond)
	}
	w.written = now
	if err := os.Chtimes(next, now, now); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Rename(next, w.state); err != nil {
		w.t.Fatal(err)
	}
}

// Calls are the counts as of the last nvmlDeviceGetCount or nvmlShutdown.
func (w *World) Calls() Calls {
	w.t.Helper()
	text, err := os.ReadFile(w.calls)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return parseCalls(text)
}
