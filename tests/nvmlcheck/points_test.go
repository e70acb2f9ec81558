package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
)

func TestPoints(t *testing.T) {
	metrics := pmetric.NewMetrics()
	all := metrics.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics()
	energy := all.AppendEmpty()
	energy.SetName("hw.energy")
	joules := energy.SetEmptySum().DataPoints()
	usage := all.AppendEmpty()
	usage.SetName("hw.gpu.memory.usage")
	bytes := usage.SetEmptyGauge().DataPoints()
	start := time.Now()
	for i := range 3 {
		p := joules.AppendEmpty()
		p.Attributes().PutStr("hw.id", "GPU-1")
		p.SetTimestamp(pcommon.NewTimestampFromTime(start.Add(time.Duration(i) * 5 * time.Second)))
		p.SetDoubleValue(float64(1000 + i*1500))
	}
	joules.AppendEmpty().SetFlags(pmetric.DefaultDataPointFlags.WithNoRecordedValue(true))
	p := bytes.AppendEmpty()
	p.Attributes().PutStr("hw.id", "MIG-1")
	p.Attributes().PutStr("hw.parent", "GPU-1")
	p.Attributes().PutInt("nvidia.mig.gpu_instance.id", 7)
	p.SetIntValue(42)

	sent := points{devices: map[string]*device{}}
	sent.add(metrics)
	devices := sent.finish()
	require.Len(t, devices, 2)
	rate := devices[0].values[series{metric: energyRate}]
	require.NotNil(t, rate)
	assert.InDelta(t, 300, rate.mean(), 0.01)
	assert.Equal(t, "GPU-1", devices[1].uuid)
	assert.Equal(t, "7", devices[1].instance)
	assert.Equal(t, []float64{42}, devices[1].values[series{metric: "hw.gpu.memory.usage"}].numbers)
}
