package lokiexporter

import (
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configauth"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/extension/extensionauth"

	"github.com/otelcol-inference/otelcol-inference/internal/lokitest"
)

// bearer is what an auth extension does.
type bearer struct {
	component.StartFunc
	component.ShutdownFunc
	extensionauth.ClientRoundTripperFunc
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Credentials come from the endpoint, from headers or from an auth extension.
func TestAuth(t *testing.T) {
	id := component.MustNewID("bearertokenauth")
	host := extensions{id: &bearer{ClientRoundTripperFunc: func(base http.RoundTripper) (http.RoundTripper, error) {
		return tripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer secret")
			return base.RoundTrip(r)
		}), nil
	}}}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:pass"))
	for name, row := range map[string]struct {
		want   string
		change func(*Config)
	}{
		"in the endpoint": {basic, func(cfg *Config) {
			u, err := url.Parse(cfg.Endpoint)
			require.NoError(t, err)
			u.User = url.UserPassword("ada", "pass")
			cfg.Endpoint = u.String()
		}},
		"headers": {basic, func(cfg *Config) { cfg.Headers.Set("Authorization", configopaque.String(basic)) }},
		"extension": {"Bearer secret", func(cfg *Config) {
			cfg.Auth = configoptional.Some(configauth.Config{AuthenticatorID: id})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server := lokitest.New(t, lokitest.Options{})
			exp := startAt(t, server.URL, host, row.change)
			require.NoError(t, exp.ConsumeLogs(t.Context(), records(1, "chat")))
			require.NoError(t, exp.Shutdown(t.Context()))
			require.Len(t, server.Requests(), 1)
			assert.Equal(t, row.want, server.Requests()[0].Header.Get("Authorization"))
		})
	}
}

// An extension that is not there is told at the start.
func TestAuthMissing(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoint = "http://127.0.0.1:1"
	cfg.Auth = configoptional.Some(configauth.Config{AuthenticatorID: component.MustNewID("none")})
	r := newStopped(t, cfg)
	require.ErrorContains(t, r.Start(t.Context(), componenttest.NewNopHost()), "none")
	require.NoError(t, r.Shutdown(t.Context()))
}

func TestHeaders(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{})
	exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) { cfg.Headers.Set("VL-Stream-Fields", "service_name,level") })
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(1, "chat")))
	require.NoError(t, exp.Shutdown(t.Context()))
	header := server.Requests()[0].Header
	assert.Equal(t, "service_name,level", header.Get("VL-Stream-Fields"))
	assert.Equal(t, "application/x-protobuf", header.Get("Content-Type"))
	assert.Empty(t, header.Get("X-Scope-OrgID"))
}

// Scenario: what stands before Loki redirects, to a page for logins that answers 200, or to Loki.
// Guarantees: what would become a GET is not followed and no success; 307 and 308 are, with the
// push.
func TestRedirects(t *testing.T) {
	for status, delivered := range map[int]bool{
		http.StatusMovedPermanently: false, http.StatusFound: false, http.StatusSeeOther: false,
		http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true,
	} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			server := lokitest.New(t, lokitest.Options{})
			var pages atomic.Int64
			login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Method != http.MethodPost:
				case delivered:
					http.Redirect(w, r, server.URL+pushPath, status)
					return
				default:
					http.Redirect(w, r, "/login", status)
					return
				}
				pages.Add(1)
				_, _ = w.Write([]byte("<html>log in</html>"))
			}))
			t.Cleanup(login.Close)
			exp := startAt(t, login.URL, componenttest.NewNopHost(), noRetry)
			err := exp.ConsumeLogs(t.Context(), records(1, "chat"))
			require.NoError(t, exp.Shutdown(t.Context()))
			assert.Zero(t, pages.Load())
			if delivered {
				require.NoError(t, err)
				assert.Equal(t, 1, server.Stats().Entries)
				return
			}
			require.Error(t, err)
			assert.True(t, consumererror.IsPermanent(err))
			assert.Empty(t, server.Requests())
		})
	}
}

// front stands before a Loki.
func front(t *testing.T, server *lokitest.Server, through *atomic.Int64) http.Handler {
	t.Helper()
	to, err := url.Parse(server.URL)
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		through.Add(1)
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
	}}
	return proxy
}

func TestTLS(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{})
	var through atomic.Int64
	secure := httptest.NewTLSServer(front(t, server, &through))
	t.Cleanup(secure.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})

	exp := startAt(t, secure.URL, componenttest.NewNopHost(), noRetry)
	err := exp.ConsumeLogs(t.Context(), records(1, "chat"))
	require.ErrorContains(t, err, "certificate")
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Zero(t, server.Stats().Requests)

	exp = startAt(t, secure.URL, componenttest.NewNopHost(), func(cfg *Config) { cfg.TLS.CAPem = configopaque.String(ca) })
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(1, "chat")))
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, 1, server.Stats().Kept)
}

func TestProxy(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{})
	var through atomic.Int64
	proxy := httptest.NewServer(front(t, server, &through))
	t.Cleanup(proxy.Close)
	exp := startAt(t, "http://loki.invalid:3100", componenttest.NewNopHost(), func(cfg *Config) { cfg.ProxyURL = proxy.URL })
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(1, "chat")))
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.EqualValues(t, 1, through.Load())
	assert.Equal(t, 1, server.Stats().Kept)
}

// A push that is not answered in time is tried again; Loki knows what it has.
func TestTimeout(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{})
	server.Script(lokitest.Answer{Delay: 10 * time.Second, Store: true})
	exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) { cfg.Timeout = 200 * time.Millisecond })
	begun := time.Now()
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(2, "chat")))
	assert.Less(t, time.Since(begun), 5*time.Second)
	require.NoError(t, exp.Shutdown(t.Context()))
	assert.Equal(t, 2, server.Stats().Kept)
	assert.Equal(t, 1, server.Stats().Repeated)
}

// The tenant of a client goes with its records, also where they wait with those of others.
func TestClientMetadata(t *testing.T) {
	server := lokitest.New(t, lokitest.Options{Auth: true})
	exp := startAt(t, server.URL, componenttest.NewNopHost(), func(cfg *Config) {
		cfg.Tenant.ClientMetadata, cfg.Tenant.Value = "X-Scope-OrgID", "rest"
		cfg.QueueConfig = createDefaultConfig().(*Config).QueueConfig
	})
	for _, name := range []string{"red", "blue", "no/good"} {
		ctx := client.NewContext(t.Context(), client.Info{Metadata: client.NewMetadata(map[string][]string{"x-scope-orgid": {name}})})
		require.NoError(t, exp.ConsumeLogs(ctx, records(2, "chat")))
	}
	require.NoError(t, exp.ConsumeLogs(t.Context(), records(2, "chat")))
	require.NoError(t, exp.Shutdown(t.Context()))
	for name, n := range map[string]int{"red": 2, "blue": 2, "rest": 4} {
		assert.Len(t, server.Records(lokitest.Query{Tenant: name}), n, name)
	}
}

// An operator who typed a wrong path is told so, without what is secret in the endpoint.
func TestWrongPath(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `unsupported path requested: "/loki/push"`, http.StatusBadRequest)
	}))
	t.Cleanup(server.Close)
	exp := startAt(t, server.URL+"/loki/push?key=secret", componenttest.NewNopHost())
	err := exp.ConsumeLogs(t.Context(), records(1, "chat"))
	require.ErrorContains(t, err, "the path of endpoint is /loki/push, Loki's is /loki/api/v1/push")
	assert.NotContains(t, err.Error(), "secret")
	assert.True(t, consumererror.IsPermanent(err))
	require.NoError(t, exp.Shutdown(t.Context()))
}
