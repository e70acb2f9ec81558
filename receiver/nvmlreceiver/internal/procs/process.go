package procs

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync"
)

// maxFile bounds what is read of one file of a process, in bytes. A group's
// path has at most 4 KiB, and there are at most some 13 of them.
const maxFile = 64 << 10

// Process is what /proc tells of a process. Empty means not known.
type Process struct {
	// Executable is the name the process goes by, up to 15 bytes (its comm),
	// else the file name of its program.
	Executable string
	// ContainerID is 64 hexadecimal digits in most runtimes.
	ContainerID string
	// PodUID is the uid of its Kubernetes pod.
	PodUID string
	// HasCgroup says that the process's control groups could be read: without
	// ids it then runs in no container.
	HasCgroup bool
}

// Process returns what is known of a process of the host. It reports false if
// there is no such process here: it has ended, or its pid is of another
// namespace. The answer is remembered until EndScrape finds that nobody asked
// again; a pid that another process has taken over, or a process that now runs
// another program, is read anew.
func (r *Resolver) Process(pid uint32) (Process, bool) {
	dir := strconv.FormatUint(uint64(pid), 10)
	text, err := readFile(r.proc, dir+"/stat")
	if err != nil {
		return Process{}, false
	}
	s, ok := parseStat(text)
	if !ok {
		return Process{}, false
	}
	if p, ok := r.processes.get(pid, s); ok {
		return p, true
	}
	p := Process{Executable: strings.ToValidUTF8(s.comm, "")}
	if p.Executable == "" {
		if exe, err := fs.ReadLink(r.proc, dir+"/exe"); err == nil {
			p.Executable = strings.ToValidUTF8(strings.TrimSuffix(path.Base(exe), " (deleted)"), "")
		}
	}
	if text, err = readFile(r.proc, dir+"/cgroup"); err == nil {
		p.HasCgroup = true
		p.ContainerID, p.PodUID = parseCgroup(text)
		r.processes.put(pid, s, p)
	}
	return p, true
}

// EndScrape forgets the processes that were not asked for since it was last
// called.
func (r *Resolver) EndScrape() { r.processes.sweep() }

// cache holds processes by pid. Start time and name tell whether it is still
// the same one.
type cache struct {
	mu      sync.Mutex
	limit   int
	round   uint64
	entries map[uint32]entry
}

type entry struct {
	stat    stat
	process Process
	round   uint64 // in which it was last asked for
}

func (c *cache) get(pid uint32, s stat) (Process, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[pid]
	if !ok || e.stat != s {
		return Process{}, false
	}
	e.round = c.round
	c.entries[pid] = e
	return e.process, true
}

func (c *cache) put(pid uint32, s stat, p Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = make(map[uint32]entry)
	}
	if _, known := c.entries[pid]; known || len(c.entries) < c.limit {
		c.entries[pid] = entry{stat: s, process: p, round: c.round}
	}
}

func (c *cache) sweep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for pid, e := range c.entries {
		if e.round != c.round {
			delete(c.entries, pid)
		}
	}
	c.round++
}

// readFile returns the first maxFile bytes of a file.
func readFile(fsys fs.FS, name string) (string, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	return string(data), err
}
