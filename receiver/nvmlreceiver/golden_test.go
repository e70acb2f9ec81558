//go:build linux && cgo

package nvmlreceiver

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/pdatatest/pmetrictest"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// updateEnv tells the processes of single tests, which do not get the flags.
const updateEnv = "NVML_GOLDEN_UPDATE"

// Scenario: the second scrape of one card of each kind under load.
// Guarantees: every metric with its name, unit, attributes and values.
func TestGolden(t *testing.T) {
	if *update {
		t.Setenv(updateEnv, "1")
	}
	for name, s := range map[string]nvmltest.Scenario{
		"h200":     nvmltest.DGX(1, nvmltest.H200()),
		"h100_mig": nvmltest.DGX(1, nvmltest.WithMIG(nvmltest.H100(), "1g.10gb", 7)),
		"l40s":     nvmltest.DGX(1, nvmltest.L40S()),
		"rtx4080s": nvmltest.DGX(1, nvmltest.RTX4080S()),
		"gb10":     nvmltest.DGX(1, nvmltest.GB10()),
		"b200":     nvmltest.DGX(1, nvmltest.B200()),
		"all":      everything(),
	} {
		t.Run(name, func(t *testing.T) {
			if alone(t) {
				return
			}
			r := newRig(t, silent(s))
			synctest.Test(t, func(t *testing.T) { checkGolden(t, r, name) })
		})
	}
}

func checkGolden(t *testing.T, r *rig, name string) {
	t.Helper()
	r.configure(t, nil)
	if name == "all" {
		enableAll(r.cfg)
		r.cfg.SerialNumber = true
		r.cfg.Processes.ProcPath = nvmltest.Proc(t, []int{4101, 4102})
	}
	r.startMetrics()
	r.scrape(1)
	for i := range r.scenario.NVML.Devices {
		for j := range r.scenario.NVML.Devices[i].ProcessUtilization {
			r.scenario.NVML.Devices[i].ProcessUtilization[j].Time += 1_000_000
		}
	}
	got := r.scrape(2)
	r.stop()
	file := filepath.Join("testdata", "golden", name+".yaml")
	if os.Getenv(updateEnv) != "" {
		require.NoError(t, golden.WriteMetricsToFile(file, got))
	}
	want, err := golden.ReadMetrics(file)
	require.NoError(t, err)
	require.NoError(t, pmetrictest.CompareMetrics(want, got,
		pmetrictest.IgnoreStartTimestamp(), pmetrictest.IgnoreTimestamp(),
		pmetrictest.IgnoreMetricsOrder(), pmetrictest.IgnoreMetricDataPointsOrder()))
}

// everything has two cards that together tell each metric, with processes on the first.
func everything() nvmltest.Scenario {
	server, desktop := nvmltest.H200(), nvmltest.RTX4080S()
	desktop.UUID, desktop.PCI = "GPU-00000000-0000-4000-8000-000000000001", "00000000:1C:00.0"
	desktop.Set("GetTemperatureThreshold", nvmltest.OK("shutdown", 99, "slowdown", 95))
	big, small := uint64(8<<30), uint64(1<<30)
	server.Serial = "1650324000001"
	server.Compute = []nvmltest.Process{{PID: 4101, Memory: &big}, {PID: 4102, Memory: &small}}
	server.ProcessUtilization = []nvmltest.ProcessUtilization{{PID: 4101, Time: 1_000_000, SM: 60, Memory: 20, Decoder: 5}}
	return nvmltest.Machine(server, desktop)
}

func enableAll(cfg *Config) {
	for _, metric := range reflect.ValueOf(&cfg.Metrics).Elem().Fields() {
		metric.FieldByName("Enabled").SetBool(true)
	}
}
