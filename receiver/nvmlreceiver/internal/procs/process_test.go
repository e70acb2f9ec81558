package procs

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeProc is a proc file system in a folder.
type fakeProc string

func (p fakeProc) write(t *testing.T, pid uint32, file, text string) {
	t.Helper()
	dir := filepath.Join(string(p), strconv.FormatUint(uint64(pid), 10))
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
}

func (p fakeProc) process(t *testing.T, pid uint32, comm string, start int, cgroup string) {
	t.Helper()
	p.write(t, pid, "stat", fmt.Sprintf("%d (%s) S 1 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 %d 4096 1", pid, comm, start))
	p.write(t, pid, "cgroup", cgroup)
}

func TestProcess(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc)})
	proc.process(t, 7, "python3", 100, "0::/kubepods/pod"+uid+"/"+id1)
	proc.process(t, 8, "nvidia-smi", 100, "0::/init.scope")

	p, ok := r.Process(7)
	require.True(t, ok)
	assert.Equal(t, Process{Executable: "python3", ContainerID: id1, PodUID: uid, HasCgroup: true}, p)

	p, ok = r.Process(8)
	require.True(t, ok)
	assert.Equal(t, Process{Executable: "nvidia-smi", HasCgroup: true}, p)

	_, ok = r.Process(9)
	assert.False(t, ok, "there is no such process")
}

func TestProcessMalformed(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc)})
	proc.write(t, 7, "stat", "7 (pyt")
	_, ok := r.Process(7)
	assert.False(t, ok)

	proc.process(t, 7, "a\xffb", 100, strings.Repeat(":/x", maxFile))
	p, ok := r.Process(7)
	require.True(t, ok)
	assert.Equal(t, Process{Executable: "ab", HasCgroup: true}, p)
}

func TestProcessWithoutName(t *testing.T) {
	proc := fakeProc(t.TempDir())
	proc.process(t, 7, "", 100, "")
	require.NoError(t, os.Symlink("/usr/bin/python3.12 (deleted)", filepath.Join(string(proc), "7", "exe")))
	p, ok := New(Settings{ProcPath: string(proc)}).Process(7)
	require.True(t, ok)
	assert.Equal(t, "python3.12", p.Executable)
}

// Another user's process may hide its groups; it may show them later.
func TestProcessWithoutCgroup(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc)})
	proc.process(t, 7, "python3", 100, "0::/docker/"+id1)
	file := filepath.Join(string(proc), "7", "cgroup")
	require.NoError(t, os.Remove(file))
	p, ok := r.Process(7)
	require.True(t, ok)
	assert.Equal(t, Process{Executable: "python3"}, p)

	proc.process(t, 7, "python3", 100, "0::/docker/"+id1)
	p, _ = r.Process(7)
	assert.Equal(t, id1, p.ContainerID)
}

func TestProcessIsRememberedUntilThePidIsReused(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc)})
	container := func() string {
		p, ok := r.Process(7)
		require.True(t, ok)
		return p.ContainerID
	}
	proc.process(t, 7, "python3", 100, "0::/docker/"+id1)
	assert.Equal(t, id1, container())

	proc.write(t, 7, "cgroup", "0::/docker/"+id2)
	assert.Equal(t, id1, container(), "not read again")

	proc.process(t, 7, "python3", 200, "0::/docker/"+id2)
	assert.Equal(t, id2, container(), "another process has the pid")

	// A runtime moves its child to the container's group, then executes.
	proc.process(t, 7, "vllm", 200, "0::/docker/"+id1)
	assert.Equal(t, id1, container(), "the process runs another program")

	require.NoError(t, os.RemoveAll(filepath.Join(string(proc), "7")))
	_, ok := r.Process(7)
	assert.False(t, ok, "the process has ended")
}

func TestEndScrapeForgets(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc), MaxProcesses: 2})
	for pid := range uint32(4) {
		proc.process(t, pid, "python3", 100, "")
		_, ok := r.Process(pid)
		assert.True(t, ok)
	}
	assert.Len(t, r.processes.entries, 2, "the limit")

	r.EndScrape()
	assert.Len(t, r.processes.entries, 2)
	r.Process(1)
	r.EndScrape()
	assert.Contains(t, r.processes.entries, uint32(1))
	assert.Len(t, r.processes.entries, 1)
	r.EndScrape()
	assert.Empty(t, r.processes.entries)
}

func TestHostPIDs(t *testing.T) {
	proc := fakeProc(t.TempDir())
	r := New(Settings{ProcPath: string(proc)})
	assert.False(t, r.HostPIDs())
	proc.process(t, 2, "sh", 100, "")
	assert.False(t, r.HostPIDs())
	proc.process(t, 2, "kthreadd", 0, "")
	assert.True(t, r.HostPIDs())
}
