package nvmlreceiver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// Scenario: configurations with many mistakes each.
// Guarantees: one error names every key, with what to do.
func TestConfigMistakes(t *testing.T) {
	for name, want := range map[string][]string{
		"values": {
			"collection_interval: must be at least 100ms", "but is 10ms",
			"initial_delay: must not be negative, but is -1s",
			"timeout: must be above 0, since a driver may hang, but is 0s",
			"library_path: must be an absolute path, or empty",
			"processes::proc_path: must be an absolute path such as /proc or /host/proc",
			"processes::pod_resources: must be the absolute path of a socket, or empty for none",
			"processes::container_logs: must be an absolute path, or empty for none",
			"processes::max_processes: must be from 1 to 100000, but is 0",
		},
		"types": {
			"colection_interval: there is no such key; did you mean collection_interval?",
			"hw.gpu.utilisation: there is no such key; did you mean metrics::hw.gpu.utilization?",
			"proc_pth: there is no such key; did you mean processes::proc_path?",
			"serial_number", "max_processes: must be from 1 to 100000, but is 200000",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, name)
			for _, part := range want {
				assert.ErrorContains(t, err, part)
			}
		})
	}
}

func TestConfigValid(t *testing.T) {
	cfg, err := load(t, "empty")
	require.NoError(t, err)
	assert.Equal(t, createDefaultConfig(), cfg)
	assert.False(t, cfg.wantsProcesses())

	cfg, err = load(t, "full")
	require.NoError(t, err)
	assert.Equal(t, time.Second, cfg.CollectionInterval)
	assert.Equal(t, 100*time.Millisecond, cfg.InitialDelay)
	assert.Equal(t, 500*time.Millisecond, cfg.Timeout)
	assert.Equal(t, "/run/nvidia/driver/usr/lib/libnvidia-ml.so.1", cfg.LibraryPath)
	assert.True(t, cfg.SerialNumber)
	assert.Equal(t, "/host/proc", cfg.Processes.ProcPath)
	assert.Empty(t, cfg.Processes.PodResources)
	assert.Empty(t, cfg.Processes.ContainerLogs)
	assert.Equal(t, 10, cfg.Processes.MaxProcesses)
	assert.False(t, cfg.Metrics.HwPower.Enabled)
	assert.True(t, cfg.Metrics.HwFanSpeedRatio.Enabled)
	assert.True(t, cfg.wantsProcesses())
}

func load(t *testing.T, name string) (*Config, error) {
	t.Helper()
	all, err := confmaptest.LoadConf("testdata/config.yaml")
	require.NoError(t, err)
	sub, err := all.Sub(name)
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := sub.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}
