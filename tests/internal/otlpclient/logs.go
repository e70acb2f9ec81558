package otlpclient

import (
	"context"
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
)

// SendLogs sends one export of log records; nil means that the receiver acknowledged all of it.
type SendLogs func(ctx context.Context, ld plog.Logs) error

// GRPCLogs returns a sender over gRPC.
func GRPCLogs(t testing.TB, addr string) SendLogs {
	t.Helper()
	client := plogotlp.NewGRPCClient(dial(t, addr))
	return func(ctx context.Context, ld plog.Logs) error {
		resp, err := client.Export(ctx, plogotlp.NewExportRequestFromLogs(ld))
		if err != nil {
			return err
		}
		if n := resp.PartialSuccess().RejectedLogRecords(); n > 0 {
			return fmt.Errorf("%d records were rejected: %s", n, resp.PartialSuccess().ErrorMessage())
		}
		return nil
	}
}
