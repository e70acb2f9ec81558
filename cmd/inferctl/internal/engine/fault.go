package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Fault is a thing that goes wrong in the service and shows in one phase.
type Fault struct {
	// Name is how the fault is asked for.
	Name string
	// Effect says in a few words where it shows.
	Effect string

	apply func(*Config)
}

// Faults lists every fault that can be played.
func Faults() []Fault {
	return []Fault{
		{"slow-preprocess", "preprocessing takes 25 times as long", func(c *Config) { c.Preprocess = c.Preprocess.times(25) }},
		{"no-batching", "a GPU runs one sequence at a time: the queue grows", func(c *Config) { c.MaxBatchSize = 1 }},
		{"long-prompts", "prompts are 5 times as long: TTFT grows, and inference with it", lengthenPrompts},
		{"slow-gpu", "every step takes twice as long: inference grows", func(c *Config) { c.Step = c.Step.times(2) }},
		{"overload", "6 times the arrivals: the queue grows", func(c *Config) { c.Rate *= 6 }},
	}
}

// Inject applies faults by name.
func (c *Config) Inject(names ...string) error {
	known := Faults()
	for _, name := range names {
		i := slices.IndexFunc(known, func(f Fault) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("--fault: %q is unknown, give one of %s", name, strings.Join(faultNames(known), ", "))
		}
		known[i].apply(c)
	}
	return nil
}

func lengthenPrompts(c *Config) {
	c.Prompt.Median *= 5
	c.Prompt.Max *= 4
}

func faultNames(faults []Fault) []string {
	names := make([]string, len(faults))
	for i, f := range faults {
		names[i] = f.Name
	}
	return names
}
