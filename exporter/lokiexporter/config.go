package lokiexporter

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"golang.org/x/net/http/httpguts"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/entry"
	"github.com/otelcol-inference/otelcol-inference/internal/config"
)

// pushPath is added to an endpoint without a path.
const pushPath = "/loki/api/v1/push"

// tenantHeader names the tenant of a push, as Go writes the name of a header.
const tenantHeader = "X-Scope-Orgid"

const (
	// Loki takes 4 MB a second of a tenant, and refuses for ever what is above its burst of
	// 6 MB, by default.
	defaultBatchBytes = 3 << 20
	leastBatchBytes   = 512 << 10
	defaultQueueBytes = 64 << 20
)

// Config is the configuration of the exporter.
type Config struct {
	// ClientConfig holds endpoint, timeout, tls, auth, headers and proxy.
	confighttp.ClientConfig `mapstructure:",squash"`
	// QueueConfig is the queue, and how entries are batched.
	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
	// RetryConfig is how long what Loki refuses for now is tried again.
	RetryConfig configretry.BackOffConfig `mapstructure:"retry_on_failure"`
	// Config says what becomes a label, metadata and the line.
	entry.Config `mapstructure:",squash"`

	// prevent unkeyed literal initialization
	_ struct{}
}

var (
	_ confmap.Validator   = (*Config)(nil)
	_ confmap.Unmarshaler = (*Config)(nil)
)

func createDefaultConfig() component.Config {
	client := confighttp.NewDefaultClientConfig()
	client.Timeout = 30 * time.Second
	// Of more consumers than connections are kept, some would connect anew each time.
	client.MaxIdleConnsPerHost = exporterhelper.NewDefaultQueueConfig().NumConsumers
	// The push API has its own.
	client.Compression = ""
	queue := exporterhelper.NewDefaultQueueConfig()
	// Loki refuses entries that are an hour behind the newest of their stream: of several batches
	// at a time a later one could arrive first, as after an outage or when old files are read.
	queue.NumConsumers = 1
	queue.Sizer = exporterhelper.RequestSizerTypeBytes
	queue.QueueSize = defaultQueueBytes
	queue.Batch = configoptional.Some(exporterhelper.BatchConfig{
		FlushTimeout: time.Second,
		Sizer:        exporterhelper.RequestSizerTypeBytes,
		MinSize:      leastBatchBytes,
		MaxSize:      defaultBatchBytes,
	})
	return &Config{
		ClientConfig: client,
		QueueConfig:  configoptional.Some(queue),
		RetryConfig:  configretry.NewDefaultBackOffConfig(),
		Config:       entry.DefaultConfig(),
	}
}

// Unmarshal reports unknown keys with what was likely meant, and all mistakes at once.
func (cfg *Config) Unmarshal(conf *confmap.Conf) error {
	return config.Unmarshal(conf, cfg, cfg.Validate)
}

// Validate reports all mistakes, each with its key and the fix.
func (cfg *Config) Validate() error {
	var errs []error
	if _, err := cfg.pushURL(); err != nil {
		errs = append(errs, err)
	}
	if cfg.Compression.IsCompressed() {
		errs = append(errs, fmt.Errorf("compression: must not be set, since a push is a snappy block already, but is %q", cfg.Compression))
	}
	errs = append(errs, cfg.wrongHeaders()...)
	errs = append(errs, cfg.wrongSizes()...)
	if cfg.Timeout <= 0 {
		errs = append(errs, fmt.Errorf("timeout: must be above 0, but is %v", cfg.Timeout))
	}
	return errors.Join(append(errs, cfg.Check())...)
}

// wrongHeaders are those that would replace what a push says of itself, since the client sets its
// own last.
func (cfg *Config) wrongHeaders() (errs []error) {
	t := &cfg.Tenant
	sources := t.Value != "" || t.Attribute != "" || t.Resource != "" || t.ClientMetadata != ""
	for name := range cfg.Headers.Iter {
		switch canonical := http.CanonicalHeaderKey(name); {
		case !httpguts.ValidHeaderFieldName(name):
			errs = append(errs, fmt.Errorf("headers::%s: is no name of a header; use letters, digits and -", name))
		case canonical == "Content-Type" || canonical == "Content-Encoding":
			errs = append(errs, fmt.Errorf("headers::%s: must not be set, since a push is protobuf in a snappy block, and Loki refuses what says otherwise", name))
		case canonical == tenantHeader && sources:
			errs = append(errs, fmt.Errorf("headers::%s: would replace every tenant that tenant finds; remove it, or all of tenant but max_tenants", name))
		}
	}
	return errs
}

// wrongSizes are sizes in bytes that count something else because only the sizer was changed, and
// a batch without a limit.
func (cfg *Config) wrongSizes() (errs []error) {
	if !cfg.QueueConfig.HasValue() {
		return nil
	}
	q := cfg.QueueConfig.Get()
	if q.Sizer != exporterhelper.RequestSizerTypeBytes && q.QueueSize == defaultQueueBytes {
		errs = append(errs, fmt.Errorf("sending_queue::queue_size: would be %d %s, which is no limit; set it, or sizer: bytes", q.QueueSize, q.Sizer.String()))
	}
	if !q.Batch.HasValue() {
		return errs
	}
	switch b := q.Batch.Get(); {
	case b.MaxSize == 0:
		errs = append(errs, fmt.Errorf("sending_queue::batch::max_size: must be above 0, there is no unlimited; the default is %d bytes", defaultBatchBytes))
	case b.Sizer == exporterhelper.RequestSizerTypeItems && b.MaxSize == defaultBatchBytes:
		errs = append(errs, fmt.Errorf("sending_queue::batch::max_size: would be %d entries, far above what Loki takes at once; set min_size and max_size, or sizer: bytes", b.MaxSize))
	}
	return errs
}

// withoutUser hides what stands before the last @, and behind a question mark: it may be secret,
// and a password can have an @.
func withoutUser(endpoint string) string {
	if at := strings.LastIndexByte(endpoint, '@'); at >= 0 {
		endpoint = "***" + endpoint[at:]
	}
	if before, _, ok := strings.Cut(endpoint, "?"); ok {
		endpoint = before + "?***"
	}
	return endpoint
}

// pushURL is where pushes go; "" is nowhere.
func (cfg *Config) pushURL() (string, error) {
	if cfg.Endpoint == "" {
		return "", nil
	}
	u, err := url.Parse(cfg.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("endpoint: must be the URL of a Loki, such as http://loki:3100, or empty to send nothing, but is %q", withoutUser(cfg.Endpoint))
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = pushPath
	}
	return u.String(), nil
}
