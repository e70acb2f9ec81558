package procs

import (
	"strconv"
	"strings"
)

// stat is what is used of /proc/<pid>/stat.
type stat struct {
	comm string // the name, up to 15 bytes; a process may change its own
	// start is when the process started, in clock ticks since boot.
	start uint64
}

// parseStat reads the text of /proc/<pid>/stat (proc_pid_stat(5)): the pid, the
// name in parentheses, which may itself hold spaces and parentheses, and
// numbers.
func parseStat(text string) (stat, bool) {
	const startField, firstField = 22, 3 // fields count from 1; the third follows the name
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return stat{}, false
	}
	fields := strings.Fields(text[to+1:])
	if len(fields) <= startField-firstField {
		return stat{}, false
	}
	start, err := strconv.ParseUint(fields[startField-firstField], 10, 64)
	return stat{comm: text[from+1 : to], start: start}, err == nil
}
