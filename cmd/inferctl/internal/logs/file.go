package logs

import (
	"fmt"
	"os"
)

// file is a log of lines of text.
type file struct {
	file  *os.File
	lines int
}

// openFile appends to a file, so that a tail of it goes on.
func openFile(path string) (file, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // the user names the file, and a log agent reads it
	if err != nil {
		return file{}, fmt.Errorf("--logs: %w", err)
	}
	return file{file: f}, nil
}

// write adds one line at once and whole: a tail never sees half of it.
func (f *file) write(line []byte) error {
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("request log: %w", err)
	}
	f.lines++
	return nil
}

// Lines is the number of lines written.
func (f *file) Lines() int { return f.lines }

// Close closes the file.
func (f *file) Close() error { return f.file.Close() }
