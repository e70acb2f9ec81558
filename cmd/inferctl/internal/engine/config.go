package engine

import (
	"errors"
	"fmt"
	"time"
)

// Config describes a service and its load. Start from [DefaultConfig].
type Config struct {
	// Seed decides every random draw.
	Seed uint64
	// Rate is the mean number of arrivals per second (a Poisson process).
	Rate float64
	// Duration is how long requests arrive. Ignored when Requests is set.
	Duration time.Duration
	// Requests is the exact number of arrivals; 0 lets Duration decide.
	Requests int
	// Models are the models served, each on GPUs of its own.
	Models []Model
	// GPUs is the number of GPUs of each model.
	GPUs int
	// MaxBatchSize is the most sequences that one GPU runs at a time.
	MaxBatchSize int
	// MaxPrefillTokens is the most prompt tokens that one step takes in; a
	// longer prompt gets a step with no other prompt.
	MaxPrefillTokens int
	// QueueLimit is the most requests that wait for one model.
	QueueLimit int
	// CPUWorkers is the number of requests preprocessed at a time.
	CPUWorkers int
	// ErrorRate is the share of requests that the engine breaks on, 0 to 1.
	ErrorRate float64
	// AbortRate is the share of clients that go away in mid-stream, 0 to 1.
	AbortRate float64
	// Timeout is the time from arrival after which the service gives up.
	Timeout time.Duration

	// Prompt and Output are the lengths of questions and answers in tokens.
	Prompt, Output Lengths
	// Receive, Preprocess and Postprocess cost time per prompt or output token.
	Receive, Preprocess, Postprocess Linear
	// Send is the time the last bytes take to leave.
	Send time.Duration
	// Step is the cost of one step of a GPU.
	Step StepCost
}

// DefaultConfig is a service of two 7-8B models that handles its load well.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Rate: 4, Duration: 30 * time.Second, Models: DefaultModels(),
		GPUs: 1, MaxBatchSize: 16, MaxPrefillTokens: 8192, QueueLimit: 1000, CPUWorkers: 4,
		ErrorRate: 0.02, AbortRate: 0.02, Timeout: 10 * time.Minute,
		Prompt:      Lengths{Median: 400, Sigma: 0.8, Min: 8, Max: 8192},
		Output:      Lengths{Median: 120, Sigma: 0.7, Min: 1, Max: 512},
		Receive:     Linear{Fixed: 300 * time.Microsecond, PerToken: 200 * time.Nanosecond},
		Preprocess:  Linear{Fixed: 2 * time.Millisecond, PerToken: 6 * time.Microsecond},
		Postprocess: Linear{Fixed: 1500 * time.Microsecond, PerToken: 8 * time.Microsecond},
		Send:        250 * time.Microsecond,
		Step: StepCost{
			Wake: 400 * time.Microsecond, Base: 11 * time.Millisecond,
			PerSequence: 350 * time.Microsecond, PerPromptToken: 55 * time.Microsecond,
		},
	}
}

// maxGPUs is how many GPUs a model may have: each takes memory.
const maxGPUs = 1024

// Validate reports everything that is wrong, each with the flag to change.
func (c *Config) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(c.Rate > 0, "--rate: %v requests per second, give more than 0", c.Rate)
	check(c.Requests >= 0, "--requests: %d, give a positive number, or 0 for --duration", c.Requests)
	check(c.Requests > 0 || c.Duration > 0, "--duration: %v, give a time above 0", c.Duration)
	check(len(c.Models) > 0, "--models: none, give at least one name@version=weight")
	check(c.GPUs > 0 && c.GPUs <= maxGPUs, "--gpus: %d, give 1 to %d", c.GPUs, maxGPUs)
	check(c.MaxBatchSize > 0, "--max-batch-size: %d, give at least 1", c.MaxBatchSize)
	check(c.QueueLimit > 0, "--queue-limit: %d, give at least 1", c.QueueLimit)
	check(c.CPUWorkers > 0, "--cpu-workers: %d, give at least 1", c.CPUWorkers)
	check(c.Timeout > 0, "--timeout: %v, give a time above 0", c.Timeout)
	check(isShare(c.ErrorRate), "--error-rate: %v, give a share from 0 to 1", c.ErrorRate)
	check(isShare(c.AbortRate), "--abort-rate: %v, give a share from 0 to 1", c.AbortRate)
	return errors.Join(errs...)
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }
