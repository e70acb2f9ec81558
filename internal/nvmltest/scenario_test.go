package nvmltest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

func parse(t *testing.T, text string) nvmltest.Scenario {
	t.Helper()
	path := filepath.Join(t.TempDir(), "scenario.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return nvmltest.Load(t, path)
}

func state(s nvmltest.Scenario, scrape int) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(string(s.State(0, scrape))) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		found[key] = value
	}
	return found
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	s := parse(t, `
nvml:
  Init: SUCCESS
  devices:
    - {index: 1, uuid: b, calls: {GetPowerUsage: {ret: SUCCESS, milliwatts: 1}}}
    - {index: 0, uuid: a, calls: {GetPowerUsage: {ret: SUCCESS, milliwatts: 2}}}
timeline:
  - {scrape: 1, device: 1, all_calls: GPU_IS_LOST}
  - {scrape: 2, device: 0, block_seconds: 1.5}
  - {scrape: 3, device: 0, calls: {GetPowerUsage: {milliwatts: 3, block_seconds: 2}}}
  - {scrape: 4, swap_index: true}
live_pids: [7]
`)
	assert.Equal(t, []int{7}, s.LivePIDs)
	before := state(s, 0)
	now := before
	assert.Equal(t, "a", now["device.0.uuid"])
	assert.NotContains(t, now, "device.1.all.ret")
	now = state(s, 3)
	assert.Equal(t, "15", now["device.1.all.ret"])
	assert.Equal(t, "1500", now["device.0.all.block_ms"])
	assert.Equal(t, "2000", now["device.0.GetPowerUsage.block_ms"])
	assert.Equal(t, "0", now["device.0.GetPowerUsage.ret"])
	assert.Equal(t, "3", now["device.0.GetPowerUsage.milliwatts"])
	now = state(s, 4)
	assert.Equal(t, "a", now["device.1.uuid"])
	assert.Equal(t, "15", now["device.0.all.ret"])
	assert.Equal(t, before, state(s, 0), "nothing sticks")
}

func TestAnswersThatGoTogether(t *testing.T) {
	t.Parallel()
	now := state(parse(t, `
nvml:
  Init: SUCCESS
  devices:
    - index: 0
      uuid: a
      calls:
        GetMemoryInfo: {total: 100, used: 60, free: 40, reserved: 10}
        GetTemperature: {celsius: 50}
        GetFanSpeed: {percent: 30}
        GetCurrentClocksThrottleReasons: {reasons: 4}
      fields: [{id: 138, scope: 4294967295, value: 12}, {id: 82, ret: NOT_SUPPORTED}]
      gpm: {5: 37.5}
      gpm_errors: {60: NOT_SUPPORTED}
      compute: [{pid: 7, memory: 4096, gi: 1}]
      samples: {1: {list: [{time: 5, value: 6}]}}
`), 0)
	for key, want := range map[string]string{
		"device.0.GetMemoryInfo.used":                   "60",
		"device.0.GetMemoryInfo_v2.used":                "50",
		"device.0.GetMemoryInfo_v2.reserved":            "10",
		"device.0.GetTemperatureV.celsius":              "50",
		"device.0.GetNumFans.fans":                      "1",
		"device.0.GetFanSpeed_v2.0":                     "30",
		"device.0.GetCurrentClocksEventReasons.reasons": "4",
		"device.0.GetFieldValues.ret":                   "0",
		"device.0.field.138.4294967295":                 "0 3 12",
		"device.0.field.82.0":                           "3 3 0",
		"device.0.gpm":                                  "5=37.5 60=!3",
		"device.0.compute":                              "7:4096:1:-",
		"device.0.samples.1":                            "1 5:6",
	} {
		assert.Equal(t, want, now[key], key)
	}
}

func TestUnknownCode(t *testing.T) {
	t.Parallel()
	s := nvmltest.DGX(1, nvmltest.Device{AllCalls: "NOT_A_CODE"})
	assert.PanicsWithValue(t, `nvmltest: no return code is called "NOT_A_CODE"`, func() { s.State(0, 0) })
}

// What each card lacks.
func TestCards(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	lib, _ := load(t, nvmltest.Machine(nvmltest.H200(), nvmltest.H100(), nvmltest.B200(), nvmltest.L40S(), nvmltest.RTX4080S(), nvmltest.GB10()))
	memory := map[int]uint64{0: 150_754_820_096, 1: 85_520_809_984, 2: 192_265_846_784, 3: 48_305_799_168, 4: 17_171_480_576}
	for i := range 6 {
		gpu := device(t, lib, i)
		name, ret := gpu.GetName()
		require.Equal(t, nvml.SUCCESS, ret)
		t.Run(name, func(t *testing.T) {
			has := func(want bool, ret nvml.Return) {
				t.Helper()
				if want {
					assert.Equal(t, nvml.SUCCESS, ret)
				} else {
					assert.Equal(t, nvml.ERROR_NOT_SUPPORTED, ret)
				}
			}
			m, ret := gpu.GetMemoryInfo_v2()
			has(memory[i] != 0, ret)
			assert.Equal(t, memory[i], m.Total)
			_, _, ret = gpu.GetMigMode()
			has(i < 3, ret)
			_, ret = gpu.GetTotalEccErrors(nvml.MEMORY_ERROR_TYPE_UNCORRECTED, nvml.VOLATILE_ECC)
			has(i < 4, ret)
			_, ret = gpu.GetFanSpeed_v2(1)
			has(i == 4, ret)
			_, ret = gpu.GetCurrPcieLinkWidth()
			has(i < 5, ret)
			_, ret = gpu.GetPowerUsage()
			has(true, ret)
			support, ret := gpu.GpmQueryDeviceSupport()
			has(true, ret)
			assert.Equal(t, i < 3, support.IsSupportedDevice == 1)
			fields := []nvml.FieldValue{{FieldId: 138, ScopeId: 0xFFFFFFFF}, {FieldId: 202, ScopeId: 17}, {FieldId: 82}, {FieldId: 186}}
			require.Equal(t, nvml.SUCCESS, gpu.GetFieldValues(fields))
			has(i < 2, nvml.Return(fields[0].NvmlReturn))
			has(i == 2, nvml.Return(fields[1].NvmlReturn))
			has(i < 3, nvml.Return(fields[2].NvmlReturn))
			has(true, nvml.Return(fields[3].NvmlReturn))
		})
	}
}
