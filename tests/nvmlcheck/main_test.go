package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

// bench is a machine with a fake driver and a stand-in for nvidia-smi.
type bench struct {
	machine nvmltest.Scenario
	card    string
	// xml changes what nvidia-smi prints.
	xml *strings.Replacer
}

// run returns the exit status and the table, with single spaces.
func (b bench) run(t *testing.T) (status int, table string) {
	t.Helper()
	nvmltest.New(t, b.machine.State(0, 0)).Enter(t)
	doc, err := os.ReadFile(filepath.Join("testdata", b.card+".xml"))
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join("testdata", b.card+".list"))
	require.NoError(t, err)
	printed := string(doc)
	if b.xml != nil {
		changed := b.xml.Replace(printed)
		require.NotEqual(t, printed, changed)
		printed = changed
	}
	dir := t.TempDir()
	script := filepath.Join(dir, "nvidia-smi")
	require.NoError(t, os.WriteFile(script+".xml", []byte(printed), 0o600))
	require.NoError(t, os.WriteFile(script+".list", list, 0o600))
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\n"+
		`case "$*" in -L) cat "$0.list";; "-q -x") cat "$0.xml";; *) exit 1;; esac`+"\n"), 0o700))
	var out, log bytes.Buffer
	status = run(t.Context(), []string{
		"--duration", "1s", "--library", nvmltest.Library(t), "--nvidia-smi", script,
	}, &out, &log)
	t.Log(out.String(), log.String())
	return status, regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
}

func h200() nvmltest.Device {
	d := nvmltest.H200()
	d.Compute = []nvmltest.Process{{PID: 4242, Memory: mib(122_000)}}
	return d
}

func mib(n uint64) *uint64 {
	n *= mebibyte
	return &n
}

func TestH200Agrees(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	status, table := bench{machine: nvmltest.DGX(1, h200()), card: "h200"}.run(t)
	assert.Zero(t, status)
	for _, line := range []string{
		"hw.power W 627.4 627.4 ±5 ±10 % ok",
		"hw.gpu.memory.usage By 128849018880 128849018880 ±16 MiB ok",
		"hw.gpu.utilization general 1 1 1 ±0.2 ok",
		"hw.temperature memory Cel 40 40 ±3 ok",
		"hw.id GPU-00000000-0000-4000-8000-000000000000 GPU-00000000-0000-4000-8000-000000000000 ok",
		"hw.serial_number 1650324000000 1650324000000 ok",
		"nvidia.cuda.version 13.1 13.1 ok",
		"nvidia.gpu.architecture hopper hopper ok",
		"nvidia.gpu.clock.frequency memory Hz 3201000000 3201000000 ±30 MHz ±20 % ok",
		"nvidia.gpu.clock.limited sw_power_cap 1 1 1 ±0.5 ok",
		"nvidia.gpu.clock.limited.time sw_power_cap s 204.6 204.6 ±2 ok",
		"nvidia.gpu.fabric.state completed 1 1 1 exact ok",
		"nvidia.gpu.memory.row_remap.rows correctable {row} 0 0 exact ok",
		"nvidia.gpu.pcie.throughput transmit By/s 1250000000 1250000000 not comparable",
		"nvidia.gpu.power.instant gpu W 626.26 626.26 ±10 ±25 % ok",
		"nvidia.gpu.process.memory.usage 4242 By 127926272000 127926272000 ±16 MiB ok",
		"nvidia.gpu.temperature.margin Cel 35 35 ±3 ok",
		"hw.errors corrected {error} 0 0 exact ok",
	} {
		assert.Contains(t, table, line)
	}
	assert.NotContains(t, table, "differs")
	assert.NotContains(t, table, "missing")
	assert.Regexp(t, `nvidia.gpu.sm.utilization 1 [0-9.]+ - not comparable`, table)
}

func TestMIGAgrees(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.WithMIG(h200(), "1g.18gb", 2)
	instances := []int{7, 8}
	d.Compute = []nvmltest.Process{
		{PID: 4242, Memory: mib(4000), GI: &instances[0]}, {PID: 4242, Memory: mib(9000), GI: &instances[1]},
	}
	status, table := bench{machine: nvmltest.DGX(1, d), card: "mig"}.run(t)
	assert.Zero(t, status)
	_, second, found := strings.Cut(table, "GPU 0, MIG instance 8")
	require.True(t, found)
	for _, line := range []string{
		"hw.gpu.memory.limit By 19327352832 19327352832 ±1 MiB ok",
		"hw.gpu.memory.usage By 9663676416 9663676416 ±16 MiB ok",
		"hw.id 0 MIG-00000000-0000-5000-8000-000000000001 MIG-00000000-0000-5000-8000-000000000001 ok",
		"nvidia.gpu.mig.info 0 {device} 1 1 exact ok",
		"nvidia.mig.profile 0 1g.18gb 1g.18gb ok",
	} {
		assert.Contains(t, second, line)
	}
	assert.Contains(t, second, "nvidia.gpu.process.memory.usage 4242 By 9437184000 9437184000 ±16 MiB ok")
}

// An older driver writes other elements.
func TestGeForceAgrees(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	d := nvmltest.RTX4080S()
	d.Serial = "" // DGX would make one up
	d.VBIOS = "95.03.45.00.d0"
	d.Set("GetTemperatureThreshold", nvmltest.OK("shutdown", 95, "slowdown", 92))
	machine := nvmltest.Machine(d)
	machine.NVML.DriverVersion, machine.NVML.CUDAVersion = "525.60.13", 12000
	status, table := bench{machine: machine, card: "geforce"}.run(t)
	assert.Zero(t, status)
	for _, line := range []string{
		"hw.power W 290 290 ±5 ±10 % ok",
		"hw.temperature.limit high.critical Cel 95 95 exact ok",
		"hw.temperature.limit high.degraded Cel 92 92 exact ok",
		"nvidia.gpu.clock.limited sw_power_cap 1 1 1 ±0.5 ok",
		"nvidia.gpu.performance_state {state} 2 2 ±2 ok",
		"nvidia.gpu.power.limit W 320 320 ±1 ok",
		"hw.driver_version 525.60.13 525.60.13 ok",
	} {
		assert.Contains(t, table, line)
	}
	assert.Regexp(t, `hw.fan.speed_ratio 1 0.46 0.45 ±0.1 ok`, table)
}

func TestDisagreementIsFound(t *testing.T) {
	uuid := "GPU-00000000-0000-4000-8000-000000000000"
	for name, test := range map[string]struct {
		without string
		xml     []string
		want    string
	}{
		"a wrong unit":      {xml: []string{">627.40 W<", ">0.63 W<"}, want: "hw.power W 627.4 0.63 ±5 ±10 % differs"},
		"a missing metric":  {without: "GetTemperature", want: "hw.temperature gpu Cel - 52 ±3 missing"},
		"another UUID":      {xml: []string{uuid, "GPU-1"}, want: "hw.id " + uuid + " GPU-1 differs"},
		"reserved counted":  {xml: []string{">122880 MiB<", ">122266 MiB<"}, want: "hw.gpu.memory.usage By 128849018880 128205193216 ±16 MiB differs"},
		"a GPU that is not": {xml: []string{"1B:00.0", "2B:00.0", uuid, "GPU-1"}, want: "hw.id " + uuid + " - differs: nvidia-smi does not show this device"},
	} {
		t.Run(name, func(t *testing.T) {
			if nvmltest.Isolate(t) {
				return
			}
			d := h200()
			delete(d.Calls, test.without)
			b := bench{machine: nvmltest.DGX(1, d), card: "h200"}
			if test.xml != nil {
				b.xml = strings.NewReplacer(test.xml...)
			}
			status, table := b.run(t)
			assert.Equal(t, 1, status)
			assert.Contains(t, table, test.want)
		})
	}
}

func TestNothingToCheck(t *testing.T) {
	script := func(body string) string {
		path := filepath.Join(t.TempDir(), "nvidia-smi")
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700))
		return path
	}
	for name, test := range map[string]struct{ path, want string }{
		"no nvidia-smi": {"/nowhere/nvidia-smi", "no /nowhere/nvidia-smi on this machine"},
		"no driver": {
			script(`echo "NVIDIA-SMI has failed because it cannot reach the driver."; exit 9`),
			"NVIDIA-SMI has failed because it cannot reach the driver.",
		},
		"no GPU": {script("echo '<nvidia_smi_log></nvidia_smi_log>'"), "shows no GPU"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			assert.Zero(t, run(t.Context(), []string{"--nvidia-smi", test.path}, &out, &out))
			assert.Contains(t, out.String(), test.want)
			assert.Equal(t, 1, strings.Count(out.String(), "\n"))
		})
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"--duration", "1ms"}, {"more"}, {"--what"}} {
		var out bytes.Buffer
		assert.Equal(t, 2, run(t.Context(), args, &out, &out), fmt.Sprint(args))
		assert.NotEmpty(t, out.String())
	}
}
