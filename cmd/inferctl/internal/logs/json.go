package logs

import (
	"encoding/json"
	"fmt"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// JSON is a file with a line of JSON for each request that has ended.
type JSON struct{ file }

// OpenJSON appends to a file.
func OpenJSON(path string) (*JSON, error) {
	f, err := openFile(path)
	return &JSON{f}, err
}

// Observe writes the line of a request that has ended.
func (j *JSON) Observe(m Moment) error {
	if m.Milestone != engine.Ended {
		return nil
	}
	return j.add(newLine(m))
}

func (j *JSON) add(line Line) error {
	text, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("request log: %w", err)
	}
	return j.write(text)
}
