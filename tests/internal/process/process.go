// Package process starts the programs that tests look at from outside.
package process

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// stopTimeout is how long a program may take to end after SIGTERM.
const stopTimeout = 30 * time.Second

// shownLines is how much of its output a failed test shows.
const shownLines = 40

// Process is a program that runs until the test ends.
type Process struct {
	cmd  *exec.Cmd
	log  output
	done chan struct{}
}

// Find returns the program that the environment variable names, or else the one
// at fallback. A program that is not there fails the test: command builds it.
func Find(t testing.TB, variable, fallback, command string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		path = fallback
	}
	path, err := filepath.Abs(path)
	require.NoError(t, err)
	info, err := os.Stat(path) //nolint:gosec // the program that the user names
	require.NoError(t, err, "%s is missing: %s", path, command)
	require.NotZero(t, info.Mode()&0o111, "%s is no program: %s", path, command)
	return path
}

// Start starts a program. When the test ends it is killed if it still runs, and
// its output is shown if the test failed.
func Start(t testing.TB, path string, args ...string) *Process {
	t.Helper()
	return StartIn(t, nil, path, args...)
}

// StartIn is Start with more environment variables, as NAME=value.
func StartIn(t testing.TB, env []string, path string, args ...string) *Process {
	t.Helper()
	p := &Process{cmd: exec.Command(path, args...), done: make(chan struct{})} //nolint:gosec // what the test wants to see
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	// Also when the tests are killed, as they are after their timeout.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(func() {
		if !p.Ended() {
			_ = p.cmd.Process.Kill()
			<-p.done
		}
		if t.Failed() {
			t.Logf("the end of the output of %s:\n%s", filepath.Base(path), p.log.tail(shownLines))
		}
	})
	return p
}

// PID returns the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// CPU is the time that the program has used, once it has ended.
func (p *Process) CPU() time.Duration {
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// MaxRSS is the most memory that it had, in bytes, once it has ended.
func (p *Process) MaxRSS() float64 {
	return float64(p.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * 1024
}

// Output returns what the program wrote so far.
func (p *Process) Output() string { return p.log.String() }

// Ended reports whether the program has ended.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Reload sends SIGHUP.
func (p *Process) Reload(t testing.TB) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGHUP))
}

// Terminate sends SIGTERM.
func (p *Process) Terminate(t testing.TB) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Signal(syscall.SIGTERM))
}

// Kill ends the program with SIGKILL and waits for it.
func (p *Process) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, p.cmd.Process.Kill())
	<-p.done
}

// Wait waits until the program has ended and returns its exit code; -1 is a
// program that a signal ended.
func (p *Process) Wait(t testing.TB) int {
	t.Helper()
	select {
	case <-p.done:
		return p.cmd.ProcessState.ExitCode()
	case <-time.After(stopTimeout):
		require.Fail(t, "the program did not end", "within %s", stopTimeout)
		return -1
	}
}

// Stop sends SIGTERM and returns the exit code.
func (p *Process) Stop(t testing.TB) int {
	t.Helper()
	p.Terminate(t)
	return p.Wait(t)
}

// output is a buffer that can be read while it is written.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write is for the program.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(data)
}

// String returns all that was written.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

func (o *output) tail(lines int) string {
	all := slices.Collect(strings.Lines(o.String()))
	return strings.Join(all[max(0, len(all)-lines):], "")
}
