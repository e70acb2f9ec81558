package nvmltest

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// Proc makes a /proc of a host with these processes, each in a container of its own.
func Proc(t testing.TB, pids []int) string {
	t.Helper()
	proc := t.TempDir()
	add := func(pid int, file, text string) {
		dir := filepath.Join(proc, strconv.Itoa(pid))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, file), []byte(text))
	}
	stat := "%d (%s) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 100 4096 1"
	add(2, "stat", fmt.Sprintf(stat, 2, "kthreadd"))
	for _, pid := range pids {
		add(pid, "stat", fmt.Sprintf(stat, pid, "python3"))
		add(pid, "cgroup", fmt.Sprintf("0::/kubepods/pod%08x-0000-4000-8000-000000000000/%064x", pid, pid))
	}
	return proc
}
