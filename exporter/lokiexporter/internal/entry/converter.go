package entry

import (
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/pdata/plog"
)

// Converter makes entries of records. It is safe for concurrent use.
type Converter struct {
	cfg Config
	now func() time.Time

	labels    []*name // sorted, as Loki has them
	originals []*name // the names of values that a label has replaced
	service   int     // the place of service_name in labels
	sources   []source
	template  []part

	names  *nameCache
	active *active
	stats  Stats
	idle   sync.Pool
}

// source is an entry of Config.Labels.
type source struct {
	Label
	slot int // in labels
}

// New returns a Converter. now is the clock.
func New(cfg Config, now func() time.Time) (*Converter, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	c := &Converter{cfg: cfg, now: now}
	var labels []string
	for i := range cfg.Labels {
		labels = append(labels, cfg.Labels[i].label())
	}
	// The stream of records without labels.
	labels = append(labels, serviceLabel)
	slices.Sort(labels)
	labels = slices.Compact(labels)
	for i := range cfg.Labels {
		s := source{Label: cfg.Labels[i], slot: slices.Index(labels, cfg.Labels[i].label())}
		s.Default = strings.ToValidUTF8(s.Default, "\uFFFD")
		c.sources = append(c.sources, s)
	}
	c.service = slices.Index(labels, serviceLabel)
	c.names = newNameCache(c.sources)
	for _, label := range labels {
		c.labels = append(c.labels, newName(label))
		c.originals = append(c.originals, newName(string(appendPart([]byte(label), "original"))))
	}
	if cfg.Format == FormatTemplate {
		c.template, _ = parseTemplate(cfg.Template)
	}
	c.active = newActive(labels, &c.cfg)
	c.idle.New = func() any {
		return &batch{c: c, routes: map[string]route{}, places: map[place]int32{}, tenants: map[string]string{}}
	}
	return c, nil
}

// Stats are the counts of all calls.
func (c *Converter) Stats() *Stats { return &c.stats }

// Sweep forgets what is not active any more and brings the gauges of Stats up to date.
func (c *Converter) Sweep() { c.gauge(c.now(), true) }

func (c *Converter) gauge(now time.Time, force bool) {
	c.active.mu.Lock()
	defer c.active.mu.Unlock()
	c.active.sweep(now.UnixNano(), force)
	c.stats.ActiveStreams.Store(int64(c.active.streams))
	c.stats.ActiveTenants.Store(int64(len(c.active.tenants)))
}

// Convert makes entries of records, by tenant. clientTenant is the value of
// Tenant.ClientMetadata, empty where there is none. The order of what it returns depends only
// on that of the records. Records are not changed, and nothing but their texts, which nobody
// can change, is kept.
func (c *Converter) Convert(ld plog.Logs, clientTenant string) []Batch {
	now := c.now()
	b := c.idle.Get().(*batch) //nolint:forcetypeassert // only batches are put there
	b.begin(now, clientTenant)
	for _, rl := range ld.ResourceLogs().All() {
		b.enterResource(rl)
		for _, sl := range rl.ScopeLogs().All() {
			b.enterScope(sl)
			for _, rec := range sl.LogRecords().All() {
				b.take(rec)
			}
		}
	}
	list := b.batches()
	c.stats.add(&b.tally)
	b.end()
	c.idle.Put(b)
	c.gauge(now, false)
	return list
}
