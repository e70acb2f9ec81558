//go:build linux && cgo

package nvmlreceiver

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadatatest"
)

func counted(n int64, attrs ...attribute.KeyValue) metricdata.DataPoint[int64] {
	return metricdata.DataPoint[int64]{Value: n, Attributes: attribute.NewSet(attrs...)}
}

// Scenario: three scrapes of a driver that is late, of a GPU with a failing call, a placeholder
// and more processes than are asked for.
// Guarantees: the receiver's own counters, with their attributes.
func TestOwnTelemetry(t *testing.T) {
	if alone(t) {
		return
	}
	s := silent(nvmltest.DGX(2, nvmltest.H200()))
	s.NVML.Init = nvmltest.Init{{UntilS: 5, Ret: "DRIVER_NOT_LOADED"}, {Ret: "SUCCESS"}}
	first := &s.NVML.Devices[0]
	first.Set("GetPowerUsage", nvmltest.Fails("UNKNOWN"))
	first.Set("GetTemperature", nvmltest.OK("celsius", 4000))
	memory := uint64(1 << 30)
	for pid := range 5 {
		first.Compute = append(first.Compute, nvmltest.Process{PID: 4101 + pid, Memory: &memory})
	}
	r := newRig(t, s)
	synctest.Test(t, func(t *testing.T) {
		r.start(t, map[string]any{
			"metrics":   map[string]any{"nvidia.gpu.process.memory.usage": map[string]any{"enabled": true}},
			"processes": map[string]any{"max_processes": 3, "proc_path": nvmltest.Proc(t, nil)},
		})
		r.scrape(3)
		ignore := metricdatatest.IgnoreTimestamp()
		ret := func(name string) attribute.KeyValue { return attribute.String("return", name) }
		type points = []metricdata.DataPoint[int64]
		metadatatest.AssertEqualReceiverNvmlInitializations(t, r.tel,
			points{counted(1, ret("DRIVER_NOT_LOADED")), counted(1, ret("SUCCESS"))}, ignore)
		metadatatest.AssertEqualReceiverNvmlCallFailures(t, r.tel,
			points{counted(2, attribute.String("call", "GetPowerUsage"), ret("UNKNOWN"))}, ignore)
		metadatatest.AssertEqualReceiverNvmlDiscardedValues(t, r.tel,
			points{counted(2, attribute.String("value", "temperature gpu"))}, ignore)
		metadatatest.AssertEqualReceiverNvmlGpus(t, r.tel, points{counted(2)}, ignore)
		metadatatest.AssertEqualReceiverNvmlProcesses(t, r.tel, points{counted(3)}, ignore)
		metadatatest.AssertEqualReceiverNvmlDroppedProcesses(t, r.tel, points{counted(4)}, ignore)
		assert.Zero(t, r.own("unread_gpus"))
		r.stop()
	})
}
