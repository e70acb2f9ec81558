package lokiexporter

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

func (l *loki) count(ctx context.Context, entries int, outcome string, cause push.Cause) {
	if entries > 0 {
		l.telemetry.ExporterLokiEntries.Add(ctx, int64(entries), metric.WithAttributeSet(attribute.NewSet(
			attribute.String("outcome", outcome), attribute.String("cause", cause.String()))))
	}
}

// observe registers what is read when it is asked for.
func (l *loki) observe() error {
	s := l.converter.Stats()
	return errors.Join(
		l.telemetry.RegisterExporterLokiActiveStreamsCallback(func(_ context.Context, o metric.Int64Observer) error {
			l.converter.Sweep()
			o.Observe(s.ActiveStreams.Load())
			return nil
		}),
		// As of the sweep above: two for each reading would look at all streams twice.
		l.telemetry.RegisterExporterLokiActiveTenantsCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(s.ActiveTenants.Load())
			return nil
		}),
		l.telemetry.RegisterExporterLokiChangesCallback(func(_ context.Context, o metric.Int64Observer) error {
			for kind, n := range map[string]int64{
				"label_value_overflow": s.ValueOverflow.Load(), "stream_overflow": s.StreamOverflow.Load(), "unlabelled": s.Unlabelled.Load(),
				"tenant_invalid": s.TenantInvalid.Load(), "tenant_overflow": s.TenantOverflow.Load(),
				"line_truncated": s.LinesTruncated.Load(), "metadata_truncated": s.MetadataTruncated.Load(),
				"metadata_dropped": s.MetadataDropped.Load(), "metadata_renamed": s.NamesRenamed.Load(), "text_repaired": s.Repaired.Load(),
				"time_missing": s.NoTime.Load(), "time_clamped": s.Clamped.Load(), "record_dropped": s.Dropped.Load(), "time_moved": s.Moved.Load(),
			} {
				o.Observe(n, metric.WithAttributeSet(attribute.NewSet(attribute.String("kind", kind))))
			}
			return nil
		}),
	)
}
