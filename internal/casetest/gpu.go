package casetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// kindGPU are the cases whose input is a machine with GPUs (input.yaml) and not telemetry.
const kindGPU = "nvml"

// GPUInterval is the time between two scrapes of a case, in seconds. The first is at 0 and
// has the number 1.
const GPUInterval = 5

// GPUCase is a condition of a GPU or its driver.
type GPUCase struct {
	Name     string
	Scenario nvmltest.Scenario
	// Config is of the nvml receiver; config.yaml.
	Config map[string]any
	Expect GPUExpect
}

// GPUExpect is the part of expect.json that is numbers.
type GPUExpect struct {
	GPU []GPUCheck `json:"gpu"`
	// Log tells how many lines of the receiver's log hold a text, from start to end.
	Log map[string]int `json:"log"`
	// Counters are the receiver's own, by name without prefix, at the end; all series of one.
	Counters map[string]int64 `json:"counters"`
}

// GPUCheck is what one scrape must tell.
type GPUCheck struct {
	// AtS is the time of the scrape, a multiple of GPUInterval.
	AtS int `json:"at_s"`
	// Points are the numbers of live points of measures, over all GPUs and MIG devices.
	Points map[string]int `json:"points"`
	// Devices are single GPUs and MIG devices.
	Devices []GPUDevice `json:"devices"`
}

// GPUDevice is what one GPU or MIG device must tell.
type GPUDevice struct {
	// Device is the index that the scenario gives the GPU at first.
	Device int `json:"device"`
	// GI selects the MIG device of a GPU instance.
	GI *int `json:"gi"`
	// UUID selects one that only the timeline has.
	UUID string `json:"uuid"`
	// Status is the state whose hw.status is 1.
	Status  string             `json:"status"`
	Present []string           `json:"present"`
	Absent  []string           `json:"absent"`
	Values  map[string]float64 `json:"values"`
	// Ended are measures with a series that has ended at this scrape.
	Ended []string `json:"ended"`
}

// EachGPU runs f as a subtest for every case of a GPU below dir.
func EachGPU(t *testing.T, dir string, f func(t *testing.T, c GPUCase)) {
	t.Helper()
	for _, dir := range cases(t, dir) {
		if kind(t, dir) == kindGPU {
			t.Run(filepath.Base(dir), func(t *testing.T) { f(t, LoadGPU(t, dir)) })
		}
	}
}

// GPUCases reads every case of a GPU below dir.
func GPUCases(t testing.TB, dir string) (list []GPUCase) {
	t.Helper()
	for _, dir := range cases(t, dir) {
		if kind(t, dir) == kindGPU {
			list = append(list, LoadGPU(t, dir))
		}
	}
	return list
}

// LoadGPU reads the case of a GPU in dir.
func LoadGPU(t testing.TB, dir string) GPUCase {
	t.Helper()
	c := GPUCase{Name: filepath.Base(dir), Scenario: nvmltest.Load(t, filepath.Join(dir, "input.yaml"))}
	readJSON(t, filepath.Join(dir, "expect.json"), &c.Expect)
	config, err := os.ReadFile(filepath.Join(dir, "config.yaml"))
	if err == nil {
		require.NoError(t, yaml.Unmarshal(config, &c.Config), dir)
	}
	return c
}

// Scrapes is how many scrapes the case takes.
func (c *GPUCase) Scrapes() int {
	last := 0
	for _, check := range c.Expect.GPU {
		last = max(last, check.AtS)
	}
	return last/GPUInterval + 1
}

// uuid of the device that a check means.
func (c *GPUCase) uuid(d *GPUDevice) string {
	if d.UUID != "" {
		return d.UUID
	}
	for i := range c.Scenario.NVML.Devices {
		gpu := &c.Scenario.NVML.Devices[i]
		switch {
		case gpu.Index != d.Device:
		case d.GI == nil:
			return gpu.UUID
		default:
			for j := range gpu.MIGDevices {
				if m := &gpu.MIGDevices[j]; m.GI == *d.GI {
					return m.UUID
				}
			}
		}
	}
	return ""
}
