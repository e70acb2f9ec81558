package lokiexporter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.opentelemetry.io/collector/client"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/exporter/exporterhelper/xexporterhelper"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/entry"
	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/metadata"
	"github.com/otelcol-inference/otelcol-inference/exporter/lokiexporter/internal/push"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 1 << 20

// loki is the exporter.
type loki struct {
	cfg       *Config
	set       exporter.Settings
	url       string
	converter *entry.Converter
	telemetry *metadata.TelemetryBuilder
	client    *http.Client
	complain  complaints
	buffers   sync.Pool // of *buffer
}

// buffer is what a push is written into before it is compressed.
type buffer struct{ plain []byte }

func newLoki(set exporter.Settings, cfg *Config) (*loki, error) {
	endpoint, err := cfg.pushURL()
	if err != nil {
		return nil, err
	}
	converter, err := entry.New(cfg.Config, time.Now)
	if err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	l := &loki{
		cfg: cfg, set: set, url: endpoint, converter: converter, telemetry: telemetry,
		complain: complaints{log: set.Logger}, buffers: sync.Pool{New: func() any { return &buffer{} }},
	}
	err = l.observe()
	return l, err
}

func (l *loki) start(ctx context.Context, host component.Host) (err error) {
	l.client, err = l.cfg.ToClient(ctx, host.GetExtensions(), l.set.TelemetrySettings)
	if err != nil {
		return err
	}
	l.client.CheckRedirect = redirect
	return nil
}

// maxRedirects is what Go follows by default.
const maxRedirects = 10

// redirect follows what is still a push. After 301, 302 and 303 Go asks with GET, without the
// entries, and a page for logins would answer 200, as if it had taken them.
func redirect(next *http.Request, via []*http.Request) error {
	if next.Method != http.MethodPost || len(via) >= maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

func (l *loki) shutdown(context.Context) error {
	if l.client != nil {
		l.client.CloseIdleConnections()
	}
	l.telemetry.Shutdown()
	return nil
}

// convert makes the request of a batch. All that a retry must not change is fixed here.
func (l *loki) convert(ctx context.Context, ld plog.Logs) (xexporterhelper.Request, error) {
	var name string
	if key := l.cfg.Tenant.ClientMetadata; key != "" {
		if values := client.FromContext(ctx).Metadata.Get(key); len(values) > 0 {
			name = values[0]
		}
	}
	r := &request{}
	for _, b := range l.converter.Convert(ld, name) {
		r.tenants = append(r.tenants, tenant{b.Tenant, b.Streams})
	}
	return r, nil
}

// push sends a request, one push for each tenant. What was taken or refused for good is not sent
// again.
func (l *loki) push(ctx context.Context, r xexporterhelper.Request) error {
	left := &request{}
	var errs []error
	var delay time.Duration
	for _, t := range r.(*request).tenants {
		kept, wait, err := l.deliver(ctx, t)
		if err != nil {
			errs = append(errs, err)
		}
		if len(kept) > 0 {
			left.tenants = append(left.tenants, tenant{t.name, kept})
			delay = max(delay, wait)
		}
	}
	err := errors.Join(errs...)
	switch {
	case err == nil:
		return nil
	case len(left.tenants) == 0:
		return consumererror.NewPermanent(err)
	case delay > 0:
		return exporterhelper.NewThrottleRetry(&notSent{err, left}, delay)
	default:
		return &notSent{err, left}
	}
}

// deliver sends the entries of a tenant, and returns those to be tried again, and after what
// time at the earliest.
func (l *loki) deliver(ctx context.Context, t tenant) (left []push.Stream, wait time.Duration, err error) {
	if entriesIn(t.streams) == 0 {
		return nil, 0, nil
	}
	a, err := l.post(ctx, t)
	if err != nil {
		// The answer is not known, so all may have been taken; Loki drops what is the same.
		l.complain.about("connection", err.Error())
		return t.streams, 0, err
	}
	n := entriesIn(t.streams)
	switch a.Kind {
	case push.Delivered:
		l.count(ctx, n, "delivered", push.CauseNone)
		l.countBytes(ctx, t.streams)
		return nil, 0, nil
	case push.Partial:
		lost := a.Lost(t.streams)
		l.count(ctx, n-lost, "delivered", push.CauseNone)
		l.count(ctx, lost, "refused", a.Cause)
		l.complain.about(a.Cause.String(), fmt.Sprintf("Loki took a part and refused %d of %d entries for good: %s", lost, n, a.Message))
		return nil, 0, nil
	case push.TooLarge:
		if n > 1 {
			return l.halves(ctx, t)
		}
		l.count(ctx, n, "refused", a.Cause)
		l.complain.about(a.Cause.String(), "Loki refuses a single entry as too large: "+a.Message)
		return nil, 0, fmt.Errorf("%s: %s", a.Cause, a.Message)
	case push.RateLimited, push.Retryable:
		l.complain.about(a.Cause.String(), "Loki does not take it for now, it is tried again: "+a.Message)
		return t.streams, a.RetryAfter, fmt.Errorf("%s: %s", a.Cause, a.Message)
	default:
		if a.Cause == push.CauseNotFound {
			a.Message += fmt.Sprintf(" (the path of endpoint is %s, Loki's is %s)", l.path(), pushPath)
		}
		l.count(ctx, n, "failed", a.Cause)
		l.complain.about(a.Cause.String(), fmt.Sprintf("Loki does not take %d entries, and they are not tried again: %s", n, a.Message))
		return nil, 0, fmt.Errorf("%s: %s", a.Cause, a.Message)
	}
}

// path is where on the server pushes go; what else is in the URL can be secret.
func (l *loki) path() string {
	u, err := url.Parse(l.url)
	if err != nil {
		return ""
	}
	return u.Path
}

// halves sends a push that is too large in two.
func (l *loki) halves(ctx context.Context, t tenant) (left []push.Stream, wait time.Duration, err error) {
	l.telemetry.ExporterLokiSplits.Add(ctx, 1)
	parts := split(&request{[]tenant{t}}, (entriesIn(t.streams)+1)/2, func(*push.Entry) int { return 1 }, false)
	var errs []error
	for _, part := range parts {
		for _, half := range part.(*request).tenants {
			kept, w, err := l.deliver(ctx, half)
			left, wait, errs = append(left, kept...), max(wait, w), append(errs, err)
		}
	}
	return left, wait, errors.Join(errs...)
}

// post makes one push and reads the answer.
func (l *loki) post(ctx context.Context, t tenant) (push.Answer, error) {
	b := l.buffers.Get().(*buffer)
	b.plain = push.AppendRequest(b.plain[:0], t.streams)
	// Not a buffer to be used again: the transport may read on after its answer.
	body := push.Compress(nil, b.plain)
	l.buffers.Put(b)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, bytes.NewReader(body))
	if err != nil {
		return push.Answer{}, err
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("User-Agent", l.set.BuildInfo.Command+"/"+l.set.BuildInfo.Version)
	if t.name != "" {
		req.Header.Set(tenantHeader, t.name)
	}
	begun := time.Now()
	res, err := l.client.Do(req)
	l.telemetry.ExporterLokiPushDuration.Record(ctx, time.Since(begun).Seconds())
	if err != nil {
		return push.Answer{}, err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil && len(answer) == 0 && res.StatusCode != http.StatusNoContent {
		answer = []byte(err.Error())
	}
	return push.Classify(res.StatusCode, res.Header, answer), nil
}

// complaints are logged once a minute for each cause.
type complaints struct {
	log  *zap.Logger
	mu   sync.Mutex
	last map[string]time.Time
	more map[string]int
}

const complainEvery = time.Minute

func (c *complaints) about(cause, message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last, c.more = map[string]time.Time{}, map[string]int{}
	}
	if now := time.Now(); now.Sub(c.last[cause]) >= complainEvery {
		c.log.Warn(message, zap.String("cause", cause), zap.Int("more_since_last", c.more[cause]))
		c.last[cause], c.more[cause] = now, 0
		return
	}
	c.more[cause]++
}
