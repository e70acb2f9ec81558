package page

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	dto "github.com/prometheus/client_model/go"
)

// GPU is what the page tells of one GPU. A number is nil where the page has none: the GPU
// does not tell it, or did not answer.
type GPU struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Index *float64 `json:"index"`
	// Status is ok, degraded, failed or predicted_failure.
	Status string `json:"status"`
	// Busy is the fraction of time with a kernel resident; SM, Tensor and DRAM are what of
	// the GPU was really used.
	Busy        *float64 `json:"busy"`
	SM          *float64 `json:"sm"`
	Tensor      *float64 `json:"tensor"`
	DRAM        *float64 `json:"dram"`
	MemoryUsed  *float64 `json:"memory_used_bytes"`
	MemoryLimit *float64 `json:"memory_limit_bytes"`
	Watts       *float64 `json:"watts"`
	Celsius     *float64 `json:"celsius"`
}

// gpuSources are the series of a GPU, which have these labels besides its own.
var gpuSources = []struct {
	family, label, value string
	field                func(*GPU) **float64
}{
	{"nvidia_gpu_index", "", "", func(g *GPU) **float64 { return &g.Index }},
	{"hw_gpu_utilization_ratio", "hw_gpu_task", "general", func(g *GPU) **float64 { return &g.Busy }},
	{"nvidia_gpu_sm_utilization_ratio", "", "", func(g *GPU) **float64 { return &g.SM }},
	{"nvidia_gpu_pipe_utilization_ratio", "nvidia_gpu_pipe", "tensor", func(g *GPU) **float64 { return &g.Tensor }},
	{"nvidia_gpu_dram_bandwidth_utilization_ratio", "", "", func(g *GPU) **float64 { return &g.DRAM }},
	{"hw_gpu_memory_usage_bytes", "", "", func(g *GPU) **float64 { return &g.MemoryUsed }},
	{"hw_gpu_memory_limit_bytes", "", "", func(g *GPU) **float64 { return &g.MemoryLimit }},
	{"hw_power_watts", "", "", func(g *GPU) **float64 { return &g.Watts }},
	{"hw_temperature_celsius", "hw_sensor_location", "gpu", func(g *GPU) **float64 { return &g.Celsius }},
}

// GPUs returns the GPUs of the page by index. MIG devices are part of their GPU.
func (f Families) GPUs() []GPU {
	byID := map[string]*GPU{}
	for _, m := range f["hw_status"].GetMetric() {
		id := label(m, "hw_id")
		if byID[id] == nil {
			byID[id] = &GPU{ID: id, Name: label(m, "hw_name")}
		}
		if number(m) == 1 {
			byID[id].Status = label(m, "hw_state")
		}
	}
	for _, s := range gpuSources {
		for _, m := range f[s.family].GetMetric() {
			g := byID[label(m, "hw_id")]
			if g != nil && label(m, s.label) == s.value {
				v := number(m)
				*s.field(g) = &v
			}
		}
	}
	gpus := make([]GPU, 0, len(byID))
	for _, g := range byID {
		gpus = append(gpus, *g)
	}
	slices.SortFunc(gpus, func(a, b GPU) int {
		return cmp.Or(cmp.Compare(orLast(a.Index), orLast(b.Index)), cmp.Compare(a.ID, b.ID))
	})
	return gpus
}

func orLast(index *float64) float64 {
	if index == nil {
		return 1e9
	}
	return *index
}

// number is the value of a gauge, or of a sum that the page shows as one.
func number(m *dto.Metric) float64 {
	switch {
	case m.GetGauge() != nil:
		return m.GetGauge().GetValue()
	case m.GetCounter() != nil:
		return m.GetCounter().GetValue()
	default:
		return m.GetUntyped().GetValue()
	}
}

// WriteGPUs writes GPUs aligned for people.
func WriteGPUs(w io.Writer, gpus []GPU) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "GPU\tNAME\tSTATUS\tBUSY\tSM\tTENSOR\tDRAM\tMEMORY\tPOWER\tTEMP")
	for _, g := range gpus {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s / %s\t%s\t%s\n", format("%.0f", g.Index, 1), g.Name, cmp.Or(g.Status, "-"),
			format("%.0f%%", g.Busy, 100), format("%.0f%%", g.SM, 100), format("%.0f%%", g.Tensor, 100), format("%.0f%%", g.DRAM, 100),
			format("%.1f", g.MemoryUsed, 1.0/(1<<30)), format("%.1fGiB", g.MemoryLimit, 1.0/(1<<30)),
			format("%.0fW", g.Watts, 1), format("%.0fC", g.Celsius, 1))
	}
	return tw.Flush()
}

func format(verb string, x *float64, factor float64) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(verb, *x*factor)
}
