package lokiexporter

import (
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
	plain     sync.Pool // of *[]byte, pushes before they are compressed
	bodies    bodies
}

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
		complain: complaints{log: set.Logger}, plain: sync.Pool{New: func() any { return new([]byte) }},
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
	var tenants []tenant
	for _, b := range l.converter.Convert(ld, name) {
		tenants = append(tenants, tenant{name: b.Tenant, streams: b.Streams})
	}
	return newRequest(tenants), nil
}

// push sends a request, one push for each tenant. What was taken or refused for good is not sent
// again.
func (l *loki) push(ctx context.Context, r xexporterhelper.Request) error {
	left, delay, err := l.deliverAll(ctx, r.(*request).tenants)
	switch {
	case err == nil:
		return nil
	case len(left) == 0:
		return consumererror.NewPermanent(err)
	case delay > 0:
		return exporterhelper.NewThrottleRetry(&notSent{err, newRequest(left)}, delay)
	default:
		return &notSent{err, newRequest(left)}
	}
}

// deliverAll sends one push for each, and returns those to be tried again, and after what time at
// the earliest. Once a tenant is above its rate it is left alone; once there is no answer, all are.
func (l *loki) deliverAll(ctx context.Context, tenants []tenant) (left []tenant, wait time.Duration, err error) {
	var errs failures
	limited := map[string]bool{}
	for i, t := range tenants {
		if limited[t.name] {
			left = append(left, t)
			continue
		}
		kept, w, err := l.deliver(ctx, t)
		for i := range kept {
			limited[t.name] = limited[t.name] || kept[i].limited > 0
		}
		left, wait = append(left, kept...), max(wait, w)
		errs.add(err)
		if errors.As(err, new(noAnswer)) {
			left = append(left, tenants[i+1:]...)
			break
		}
	}
	return left, wait, errs.join()
}

// noAnswer is that a push got none: the server is away, or hangs, and would for the next one.
type noAnswer struct{ error }

func (e noAnswer) Unwrap() error { return e.error }

// failures are errors, each once: of a thousand pushes that fail alike one is enough.
type failures []error

// mostFailures bounds what is told of one request.
const mostFailures = 8

func (f *failures) add(err error) {
	if err == nil || len(*f) >= mostFailures {
		return
	}
	for _, other := range *f {
		if other.Error() == err.Error() {
			return
		}
	}
	*f = append(*f, err)
}

func (f *failures) join() error { return errors.Join(*f...) }

const (
	// patience is how often a push is sent as it is that is more than the tenant's rate. After
	// that it may be larger than the burst, and so would be refused for ever.
	patience = 3
	// leastBurst is the size of a push, in bytes, that fits any burst.
	leastBurst = 64 << 10
	// leastPush is the size of a push, in bytes, that no limit of a server or proxy is meant for.
	leastPush = 4 << 10
)

// deliver sends the entries of a tenant, as deliverAll.
func (l *loki) deliver(ctx context.Context, t tenant) (left []tenant, wait time.Duration, err error) {
	n := entriesIn(t.streams)
	if n == 0 {
		return nil, 0, nil
	}
	if t.limited >= patience && n > 1 && t.bytes() > leastBurst {
		return l.halves(ctx, t)
	}
	a, err := l.post(ctx, t)
	if err != nil {
		// The answer is not known, so all may have been taken; Loki drops what is the same.
		err = withoutURL(err)
		l.complain.about("connection", err.Error())
		return []tenant{t}, 0, noAnswer{err}
	}
	switch a.Kind {
	case push.Delivered:
		l.count(ctx, n, "delivered", push.CauseNone)
		l.telemetry.ExporterLokiSentBytes.Add(ctx, int64(t.bytes()))
	case push.Partial:
		lost := a.Lost(t.streams)
		l.count(ctx, n-lost, "delivered", push.CauseNone)
		l.count(ctx, lost, "refused", a.Cause)
		l.complain.about(a.Cause.String(), fmt.Sprintf("Loki refused %d of %d entries for good: %s", lost, n, a.Message))
	case push.TooLarge:
		if n > 1 && t.bytes() > leastPush {
			return l.halves(ctx, t)
		}
		// As where Loki takes a part: what it never will is no reason to tell the sender of others.
		l.count(ctx, n, "refused", a.Cause)
		l.complain.about(a.Cause.String(), fmt.Sprintf("Loki refuses %d entries of %d bytes as too large: %s", n, t.bytes(), a.Message))
	case push.RateLimited, push.Retryable:
		l.complain.about(a.Cause.String(), "Loki does not take it for now, it is tried again: "+a.Message)
		if a.Cause == push.CauseRateLimited {
			t.limited++
		} else {
			t.limited = 0
		}
		return []tenant{t}, a.RetryAfter, fmt.Errorf("%s: %s", a.Cause, a.Message)
	default:
		if path := l.path(); a.Cause == push.CauseNotFound && path != pushPath {
			a.Message += fmt.Sprintf(" (the path of endpoint is %s, Loki's is %s)", path, pushPath)
		}
		l.count(ctx, n, "failed", a.Cause)
		l.complain.about(a.Cause.String(), fmt.Sprintf("Loki does not take %d entries, and they are not tried again: %s", n, a.Message))
		err = fmt.Errorf("%s: %s", a.Cause, a.Message)
	}
	push.Release(t.streams)
	return nil, 0, err
}

// withoutURL takes away the URL of a push, in which there can be secrets; the address stays.
func withoutURL(err error) error {
	if e := (*url.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
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
func (l *loki) halves(ctx context.Context, t tenant) (left []tenant, wait time.Duration, err error) {
	l.telemetry.ExporterLokiSplits.Add(ctx, 1)
	var parts []tenant
	for _, r := range split(&request{tenants: []tenant{t}}, (entriesIn(t.streams)+1)/2, func(*push.Entry) int { return 1 }, false) {
		parts = append(parts, r.(*request).tenants...)
	}
	return l.deliverAll(ctx, parts)
}

// post makes one push and reads the answer.
func (l *loki) post(ctx context.Context, t tenant) (push.Answer, error) {
	plain := l.plain.Get().(*[]byte)
	*plain = push.AppendRequest((*plain)[:0], t.streams)
	body := l.bodies.take(push.MaxCompressedSize(len(*plain)))
	defer body.release()
	body.data = push.Compress(body.data, *plain)
	l.plain.Put(plain)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.url, http.NoBody)
	if err != nil {
		return push.Answer{}, err
	}
	req.ContentLength, req.GetBody = int64(len(body.data)), body.reader
	req.Body, _ = body.reader()
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
	// What there is of one that breaks off still tells something.
	answer, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
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
