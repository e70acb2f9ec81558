package binary

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/fleet"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpclient"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/otlpsink"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

const (
	gatewayName = "otelcol-gateway"
	token       = "a-secret-of-the-fleet"
)

// Scenario: an agent and a gateway with the shipped overlays for TLS and a token, and an agent that
// has another token.
// Guarantees: what the first sends arrives, what the second sends does not and waits; who speaks
// without TLS is not heard; the token is in no log and on no page.
func TestSecureFleet(t *testing.T) {
	t.Parallel()
	sink, loki, dir := otlpsink.Start(t), lokitest.New(t, lokitest.Options{}), t.TempDir()
	certificate(t, dir)
	env := func(token string) []string {
		file := filepath.Join(t.TempDir(), "token")
		require.NoError(t, os.WriteFile(file, []byte(token), 0o600))
		return []string{
			"TOKEN_FILE=" + file, "CA_FILE=" + filepath.Join(dir, "tls.crt"), "CERT_FILE=" + filepath.Join(dir, "tls.crt"), "KEY_FILE=" + filepath.Join(dir, "tls.key"),
			"TRACES_ENDPOINT=" + sink.Addr, "LOKI_ENDPOINT=" + loki.URL, "SAMPLING_PERCENTAGE=100", "HOSTNAME=" + gatewayName,
		}
	}
	gateway := collector.StartShipped(t, "gateway.yaml", t.TempDir(), env(token), fleet.Overlay(t, "overlays/gateway-tls.yaml"), fleet.Quick)
	gateways := "GATEWAYS=[" + gateway.GRPC + "]"
	stranger := collector.StartShipped(t, "agent.yaml", t.TempDir(), append(env("another"), gateways), fleet.Overlay(t, "overlays/agent-tls.yaml"))
	simulate.Run(t, stranger.GRPC, "--requests", "5", "--run-id", "stranger")
	agent := collector.StartShipped(t, "agent.yaml", t.TempDir(), append(env(token), gateways), fleet.Overlay(t, "overlays/agent-tls.yaml"))
	truth := simulate.Run(t, agent.GRPC, "--requests", "20", "--logs", "otlp", "--run-id", "agent")
	eventually(t, func(ct *assert.CollectT) {
		assert.Equal(ct, truth.Sent.Spans, sink.SpanCount())
		lines, _ := linesIn(loki)
		assert.Len(ct, lines, truth.Sent.LogRecords)
	})
	require.Error(t, otlpclient.GRPC(t, gateway.GRPC)(t.Context(), unmarshal(t, vllmRequest(t))), "without TLS")
	eventually(t, func(ct *assert.CollectT) {
		assert.Contains(ct, get(t, "https://"+gateway.Page+"/metrics"), "inference_request_duration_seconds_count")
	})
	for name, c := range map[string]*collector.Collector{"gateway": gateway, "agent": agent} {
		pages := []string{c.Output()}
		for _, page := range []string{"servicez", "pipelinez", "extensionz", "featurez"} {
			pages = append(pages, get(t, "http://"+c.ZPages+"/debug/"+page))
		}
		assert.NotContains(t, strings.Join(pages, "\n"), token, name)
	}
}

// certificate makes tls.crt, which is its own authority, and tls.key.
func certificate(t *testing.T, dir string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: gatewayName}, DNSNames: []string{gatewayName},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: der}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // what it says is looked at, not who says it
	}}
	resp, err := client.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return strings.ToValidUTF8(string(body), "?")
}
