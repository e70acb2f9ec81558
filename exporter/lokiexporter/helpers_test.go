package lokiexporter

import (
	"context"
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
)

// extensions is a host that has some.
type extensions map[component.ID]component.Component

func (e extensions) GetExtensions() map[component.ID]component.Component { return e }

// startAt starts an exporter that sends to a URL, without a queue.
func startAt(t *testing.T, url string, host component.Host, change ...func(*Config)) exporter.Logs {
	t.Helper()
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoint = url
	cfg.QueueConfig = configoptional.None[exporterhelper.QueueBatchConfig]()
	cfg.RetryConfig.InitialInterval = 10 * time.Millisecond
	cfg.RetryConfig.MaxElapsedTime = 5 * time.Second
	for _, c := range change {
		c(cfg)
	}
	require.NoError(t, cfg.Validate())
	exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(t.Context(), host))
	return exp
}

func noRetry(cfg *Config) { cfg.RetryConfig.Enabled = false }

// disk is a storage extension whose content outlives the exporters that use it.
type disk struct {
	component.StartFunc
	component.ShutdownFunc
	mu   sync.Mutex
	data map[string][]byte
}

func (d *disk) GetClient(context.Context, component.Kind, component.ID, string) (storage.Client, error) {
	return d, nil
}

func (d *disk) Get(ctx context.Context, key string) ([]byte, error) {
	op := storage.GetOperation(key)
	err := d.Batch(ctx, op)
	return op.Value, err
}

func (d *disk) Set(ctx context.Context, key string, value []byte) error {
	return d.Batch(ctx, storage.SetOperation(key, value))
}

func (d *disk) Delete(ctx context.Context, key string) error {
	return d.Batch(ctx, storage.DeleteOperation(key))
}

func (d *disk) Batch(_ context.Context, ops ...*storage.Operation) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.data == nil {
		d.data = map[string][]byte{}
	}
	for _, op := range ops {
		switch op.Type {
		case storage.Get:
			op.Value = d.data[op.Key]
		case storage.Set:
			d.data[op.Key] = op.Value
		case storage.Delete:
			delete(d.data, op.Key)
		}
	}
	return nil
}

func (d *disk) Close(context.Context) error { return nil }

// copied is what a crash would leave.
func (d *disk) copied() *disk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &disk{data: maps.Clone(d.data)}
}

// newStopped makes an exporter and does not start it.
func newStopped(t *testing.T, cfg *Config) exporter.Logs {
	t.Helper()
	exp, err := NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
	require.NoError(t, err)
	return exp
}
