package logs

import (
	"encoding/json"
	"fmt"
	"os"

	"go.opentelemetry.io/otel/trace"
)

// Log takes the lines of the request log.
type Log interface {
	// Write adds a line; span is the request's root span.
	Write(line Line, span trace.SpanContext) error
	// Close writes out what is held.
	Close() error
}

// Off is a log that keeps nothing.
type Off struct{}

// Write drops the line.
func (Off) Write(Line, trace.SpanContext) error { return nil }

// Close does nothing.
func (Off) Close() error { return nil }

// File is a log of JSON lines.
type File struct {
	file  *os.File
	lines int
}

// OpenFile appends to a file, so that a tail of it goes on.
func OpenFile(path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644) //nolint:gosec // the user names the file, and a log agent reads it
	if err != nil {
		return nil, fmt.Errorf("--logs: %w", err)
	}
	return &File{file: f}, nil
}

// Write adds one line at once and whole: a tail never sees half of it.
func (f *File) Write(line Line, _ trace.SpanContext) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("request log: %w", err)
	}
	if _, err = f.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("request log: %w", err)
	}
	f.lines++
	return nil
}

// Lines is the number of lines written.
func (f *File) Lines() int { return f.lines }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
