package nvmltest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

const childEnv = "NVMLTEST_CHILD"

// Isolate runs a test in a process of its own, since a process binds to one NVML for life.
// It returns true in the test that started the process, which has then passed, failed or been
// skipped as that process was, and false in the process itself. It goes first in a test:
//
//	func TestPower(t *testing.T) {
//		if nvmltest.Isolate(t) {
//			return
//		}
//		world := nvmltest.New(t, nvmltest.DGX(1, nvmltest.H200()).State(0, 0))
//		world.Enter(t)
//		lib := nvml.New(nvml.WithLibraryPath(nvmltest.Library(t)))
//		...
//	}
//
// A subtest may do the same; what its parents do before it then runs in both processes.
func Isolate(t *testing.T) bool {
	t.Helper()
	if os.Getenv(childEnv) != "" {
		return false
	}
	out, err := runAlone(t)
	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case strings.Contains(out, "--- SKIP: "+t.Name()+" "):
		t.Skip(out)
	case !strings.Contains(out, "--- PASS: "+t.Name()+" "):
		t.Errorf("the test did not run:\n%s", out)
	case testing.Verbose():
		t.Log(out)
	}
	return true
}

func runAlone(t *testing.T) (string, error) {
	t.Helper()
	// Ask for the stacks of a test that hangs before this one is stopped itself.
	limit := time.Minute
	if deadline, ok := t.Deadline(); ok {
		limit = max(time.Until(deadline)*9/10, time.Second)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit+10*time.Second)
	defer cancel()
	args := []string{"-test.run=" + pattern(t.Name()), "-test.v", "-test.count=1", "-test.timeout=" + limit.String()}
	if dir := flag.Lookup("test.gocoverdir"); dir != nil && dir.Value.String() != "" {
		args = append(args, "-test.gocoverdir="+dir.Value.String())
	}
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	object := filepath.Join(t.TempDir(), "fake.o")
	writeObject(t, object)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), childEnv+"=1", objectEnv+"="+object,
		// The race detector would sleep for a second before each process ends.
		"GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// pattern selects one test or subtest alone.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
