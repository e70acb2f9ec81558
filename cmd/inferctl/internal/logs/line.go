// Package logs writes the request log of a simulated service: one line for each
// request that has ended, to a file or to an OTLP receiver, or the text lines of vLLM.
package logs

import (
	"time"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// Line is one line of the request log. Times are milliseconds; what was not
// measured is left out.
type Line struct {
	Timestamp    time.Time `json:"timestamp"`
	Level        string    `json:"level"`
	Message      string    `json:"message"`
	RequestID    string    `json:"request_id"`
	ModelName    string    `json:"model_name"`
	ModelVersion string    `json:"model_version"`
	InputTokens  int       `json:"input_tokens"`
	OutputTokens int       `json:"output_tokens"`

	Preprocess  float64 `json:"preprocess_time_ms,omitempty"`
	Queue       float64 `json:"queue_time_ms,omitempty"`
	Inference   float64 `json:"inference_time_ms,omitempty"`
	Postprocess float64 `json:"postprocess_time_ms,omitempty"`
	Total       float64 `json:"total_time_ms,omitempty"`
	TTFT        float64 `json:"ttft_ms,omitempty"`

	Status    string `json:"status"`
	ErrorType string `json:"error_type,omitempty"`
	TraceID   string `json:"trace_id"`
	SpanID    string `json:"span_id"`
}

// newLine describes a request at the moment of its end.
func newLine(m Moment) Line {
	q := m.Request
	ms := func(from, to engine.Milestone) float64 {
		d, ok := q.Between(from, to)
		if !ok {
			return 0
		}
		return float64(d) / float64(time.Millisecond)
	}
	l := Line{
		Timestamp: m.Time, Level: "INFO", Message: "request finished", RequestID: m.RequestID,
		ModelName: q.Model.Name, ModelVersion: q.Model.Version,
		InputTokens: q.InputTokens, OutputTokens: q.OutputTokens,
		Preprocess:  ms(engine.Received, engine.Preprocessed),
		Queue:       ms(engine.Preprocessed, engine.Scheduled),
		Inference:   ms(engine.Scheduled, engine.Generated),
		Postprocess: ms(engine.Generated, engine.Postprocessed),
		Total:       ms(engine.Arrived, engine.Ended),
		TTFT:        ms(engine.Arrived, engine.FirstToken),
		Status:      string(q.Outcome), ErrorType: q.ErrorType,
		TraceID: m.Span.TraceID().String(), SpanID: m.Span.SpanID().String(),
	}
	l.setLevel(q.Outcome)
	return l
}

func (l *Line) setLevel(o engine.Outcome) {
	switch o {
	case engine.OK:
	case engine.Aborted, engine.Rejected:
		l.Level, l.Message = "WARN", "request not served to its end"
	default:
		l.Level, l.Message = "ERROR", "request failed"
	}
}
