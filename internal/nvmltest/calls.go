package nvmltest

import (
	"fmt"
	"strconv"
	"strings"
)

// Calls tells what a program did to the fake.
type Calls map[string]int

func parseCalls(text []byte) Calls {
	calls := Calls{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.Atoi(value); err == nil {
			calls[key] = n
		}
	}
	return calls
}

// Of is the number of calls of a function, as nvmlDeviceGetPowerUsage.
func (c Calls) Of(name string) int { return c["call."+name] }

// On is the number of calls of a function on a GPU or its MIG devices.
func (c Calls) On(device int, name string) int { return c[fmt.Sprintf("call.%s.%d", name, device)] }

// Field tells how often a field was asked of a GPU.
func (c Calls) Field(device int, id uint32) int { return c[fmt.Sprintf("field.%d.%d", device, id)] }

// InFlight is the most calls that ran on a GPU at the same time.
func (c Calls) InFlight(device int) int { return c[fmt.Sprintf("in_flight.%d", device)] }

// GPMInFlight is the most calls for performance counters that ran at the same time.
func (c Calls) GPMInFlight() int { return c["in_flight.gpm"] }

// OpenInits is the number of nvmlInit without nvmlShutdown.
func (c Calls) OpenInits() int { return c["open.inits"] }

// OpenGPMSamples is the number of samples that were not freed.
func (c Calls) OpenGPMSamples() int { return c["open.gpm_samples"] }

// OpenEventSets is the number of event sets that were not freed.
func (c Calls) OpenEventSets() int { return c["open.event_sets"] }

// Violations are what nobody may do who only watches: calls of functions that set something,
// and misuse such as shutdown_with_calls_in_flight, shutdown_with_gpm_samples,
// gpm_sample_freed_twice and event_set_freed_while_waiting.
func (c Calls) Violations() map[string]int {
	found := map[string]int{}
	for key, n := range c {
		if what, ok := strings.CutPrefix(key, "violation."); ok {
			found[what] = n
		}
	}
	return found
}
