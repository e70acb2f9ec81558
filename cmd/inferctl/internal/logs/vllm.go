package logs

import (
	"fmt"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
)

// vllmTime is how vLLM writes the time: without a year, in the zone of the machine.
const vllmTime = "01-02 15:04:05"

// VLLM is a file as vLLM writes it with --enable-log-requests and --enable-log-outputs: text,
// two lines when a request comes and one when it ends, with its request id and no trace id.
type VLLM struct{ file }

// OpenVLLM appends to a file.
func OpenVLLM(path string) (*VLLM, error) {
	f, err := openFile(path)
	return &VLLM{f}, err
}

// Observe writes the lines that the engine writes at the moment.
func (v *VLLM) Observe(m Moment) error {
	place, message := vllmLine(&m)
	if message == "" {
		return nil
	}
	return v.write(fmt.Appendf(nil, "INFO %s [%s] %s", m.Time.Local().Format(vllmTime), place, message)) //nolint:gosmopolitan // as vLLM does
}

// vllmLine is the message of a moment, if it has one, and the line of vLLM that writes it.
func vllmLine(m *Moment) (place, message string) {
	switch m.Milestone {
	case engine.Received:
		return "logger.py:61", fmt.Sprintf("Received request %s: params: SamplingParams(n=1, temperature=0.7, top_p=1.0, "+
			"max_tokens=%d), lora_request: None.", m.RequestID, m.Request.MaxTokens)
	case engine.Preprocessed:
		return "async_llm.py:420", "Added request " + m.EngineID + "."
	case engine.Ended:
		return vllmEnd(m)
	}
	return "", ""
}

func vllmEnd(m *Moment) (place, message string) {
	switch m.Request.Outcome {
	case engine.OK:
		return "logger.py:118", fmt.Sprintf("Generated response %s (streaming complete): output: '', "+
			"output_token_ids: None, finish_reason: %s", m.RequestID, m.Request.FinishReason)
	case engine.Aborted:
		return "async_llm.py:610", fmt.Sprintf("Request %s aborted.", m.RequestID)
	default:
		return "async_llm.py:641", fmt.Sprintf("Request %s failed due to %s.", m.RequestID, m.Request.ErrorType)
	}
}
