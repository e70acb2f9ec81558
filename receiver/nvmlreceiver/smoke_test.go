package nvmlreceiver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/receiver/receivertest"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
)

func TestSmoke(t *testing.T) {
	if nvmltest.Isolate(t) {
		return
	}
	world := nvmltest.New(t, []byte("driver_version 580.65.06\ndevices 1\ndevice.0.uuid GPU-x\ndevice.0.name NVIDIA H200\ndevice.0.GetPowerUsage.ret 0\ndevice.0.GetPowerUsage.milliwatts 300000\n"))
	world.Enter(t)
	cfg := createDefaultConfig().(*Config)
	cfg.LibraryPath = nvmltest.Library(t)
	m := &metricsScraper{member{set: receivertest.NewNopSettings(metadata.Type), cfg: cfg}}
	require.NoError(t, m.start(context.Background(), componenttest.NewNopHost()))
	for range 2 {
		out, err := m.scrape(context.Background())
		require.NoError(t, err)
		j := pmetric.JSONMarshaler{}
		b, _ := j.MarshalMetrics(out)
		t.Log(string(b))
	}
	require.NoError(t, m.shutdown(context.Background()))
}
