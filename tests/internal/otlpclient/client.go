// Package otlpclient sends traces and logs over OTLP, one export at a time and without
// retries, so that the sender knows what was acknowledged.
package otlpclient

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Send sends one export; nil means that the receiver acknowledged all of it.
type Send func(ctx context.Context, td ptrace.Traces) error

// GRPC returns a sender over gRPC.
func GRPC(t testing.TB, addr string) Send {
	t.Helper()
	client := ptraceotlp.NewGRPCClient(dial(t, addr))
	return func(ctx context.Context, td ptrace.Traces) error {
		resp, err := client.Export(ctx, ptraceotlp.NewExportRequestFromTraces(td))
		if err != nil {
			return err
		}
		return accepted(resp)
	}
}

func dial(t testing.TB, addr string) *grpc.ClientConn {
	t.Helper()
	conn, err := grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// HTTP returns a sender of protobuf over HTTP.
func HTTP(t testing.TB, addr string) Send {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	return func(ctx context.Context, td ptrace.Traces) error {
		body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
		if err != nil {
			return err
		}
		answer, err := post(ctx, client, addr, "application/x-protobuf", body)
		if err != nil {
			return err
		}
		resp := ptraceotlp.NewExportResponse()
		if err = resp.UnmarshalProto(answer); err != nil {
			return err
		}
		return accepted(resp)
	}
}

// PostJSON sends a document of OTLP/JSON as it is.
func PostJSON(t testing.TB, addr string, body []byte) {
	t.Helper()
	_, err := post(t.Context(), http.DefaultClient, addr, "application/json", body)
	require.NoError(t, err)
}

func post(ctx context.Context, client *http.Client, addr, contentType string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+addr+"/v1/traces", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, answer)
	}
	return answer, err
}

func accepted(resp ptraceotlp.ExportResponse) error {
	if n := resp.PartialSuccess().RejectedSpans(); n > 0 {
		return fmt.Errorf("%d spans were rejected: %s", n, resp.PartialSuccess().ErrorMessage())
	}
	return nil
}
