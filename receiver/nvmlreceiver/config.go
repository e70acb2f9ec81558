package nvmlreceiver

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/scraper/scraperhelper"

	"github.com/otelcol-inference/otelcol-inference/internal/config"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/procs"
)

// Config is the configuration of the receiver.
type Config struct {
	// ControllerConfig holds collection_interval, initial_delay and timeout, which
	// bounds one scrape.
	scraperhelper.ControllerConfig `mapstructure:",squash"`
	// MetricsBuilderConfig switches metrics on and off.
	metadata.MetricsBuilderConfig `mapstructure:",squash"`
	// LibraryPath is the NVML library; empty is libnvidia-ml.so.1 as the dynamic
	// linker finds it.
	LibraryPath string `mapstructure:"library_path"`
	// SerialNumber puts the serial number of the board on nvidia.gpu.info.
	SerialNumber bool `mapstructure:"serial_number"`
	// Processes is how the metrics of processes find out what a process is. They
	// are off by default.
	Processes ProcessesConfig `mapstructure:"processes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

// ProcessesConfig is about the nvidia.gpu.process.* and nvidia.gpu.container.* metrics.
type ProcessesConfig struct {
	// ProcPath is where /proc of the host is.
	ProcPath string `mapstructure:"proc_path"`
	// PodResources is the socket of the kubelet's PodResources API. It is used where it
	// exists; empty turns it off.
	PodResources string `mapstructure:"pod_resources"`
	// ContainerLogs is the folder where the kubelet links container logs. The names of the
	// links tell the pod of a container where several share a GPU; empty turns it off.
	ContainerLogs string `mapstructure:"container_logs"`
	// MaxProcesses is how many processes of one GPU are reported.
	MaxProcesses int `mapstructure:"max_processes"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	scrape := scraperhelper.NewDefaultControllerConfig()
	scrape.CollectionInterval = 5 * time.Second
	scrape.Timeout = 4 * time.Second
	return &Config{
		ControllerConfig:     scrape,
		MetricsBuilderConfig: metadata.NewDefaultMetricsBuilderConfig(),
		Processes: ProcessesConfig{
			ProcPath:      procs.DefaultProcPath,
			PodResources:  procs.DefaultKubeletSocket,
			ContainerLogs: procs.DefaultContainerLogs,
			MaxProcesses:  256,
		},
	}
}

// Unmarshal reports unknown keys with what was likely meant, and all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, cfg.Validate)
}

// Validate reports all mistakes, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if cfg.CollectionInterval < 100*time.Millisecond {
		fail("collection_interval: must be at least 100ms, the shortest time over which a GPU can be measured, but is %v", cfg.CollectionInterval)
	}
	if cfg.InitialDelay < 0 {
		fail("initial_delay: must not be negative, but is %v", cfg.InitialDelay)
	}
	if cfg.Timeout <= 0 {
		fail("timeout: must be above 0, since a driver may hang, but is %v", cfg.Timeout)
	}
	if cfg.LibraryPath != "" && !filepath.IsAbs(cfg.LibraryPath) {
		fail("library_path: must be an absolute path, or empty for the driver's own libnvidia-ml.so.1, but is %q", cfg.LibraryPath)
	}
	if !filepath.IsAbs(cfg.Processes.ProcPath) {
		fail("processes::proc_path: must be an absolute path such as /proc or /host/proc, but is %q", cfg.Processes.ProcPath)
	}
	if cfg.Processes.PodResources != "" && !filepath.IsAbs(cfg.Processes.PodResources) {
		fail("processes::pod_resources: must be the absolute path of a socket, or empty for none, but is %q", cfg.Processes.PodResources)
	}
	if cfg.Processes.ContainerLogs != "" && !filepath.IsAbs(cfg.Processes.ContainerLogs) {
		fail("processes::container_logs: must be an absolute path, or empty for none, but is %q", cfg.Processes.ContainerLogs)
	}
	if n := cfg.Processes.MaxProcesses; n < 1 || n > 100_000 {
		fail("processes::max_processes: must be from 1 to 100000, but is %d", n)
	}
	return errors.Join(errs...)
}

// wantsProcesses tells whether a metric of processes is on.
func (cfg *Config) wantsProcesses() bool {
	m := &cfg.Metrics
	return m.NvidiaGpuProcessMemoryUsage.Enabled || m.NvidiaGpuProcessUtilization.Enabled || m.NvidiaGpuContainerMemoryUsage.Enabled
}
