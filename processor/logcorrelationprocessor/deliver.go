package logcorrelationprocessor

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
)

const (
	// maxBatchBytes bounds one batch of released records.
	maxBatchBytes = 1 << 20

	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
	// lastAttempts is how long all attempts may take once the processor shuts down.
	lastAttempts = 5 * time.Second

	// parcelBytes is what a parcel takes beside its data.
	parcelBytes = 512
)

// deliverer hands released records to the next component, in the order of their release. Their
// sender has been told that they were taken, so a failure is retried here.
type deliverer struct {
	next    consumer.Logs
	finish  func(logs plog.Logs, last *correlate.Head, p *correlate.Parcel, t *tally)
	outcome func(t *tally, records int, lost bool)
	retried func()
	log     *zap.Logger

	mu    sync.Mutex
	queue []*correlate.Parcel
	bytes int64 // of the queue and of the batch that is being handed on

	ctx    context.Context //nolint:containedctx // of its own goroutine
	cancel context.CancelFunc
	wake   chan struct{}
	quit   chan struct{}
	done   chan struct{}
}

func (d *deliverer) start() {
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.wake, d.quit, d.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go d.run()
}

// stop hands on what is queued, with one attempt each, and returns when that is done. The
// attempts end with ctx.
func (d *deliverer) stop(ctx context.Context) {
	close(d.quit)
	timer := time.AfterFunc(lastAttempts, d.cancel)
	keep := context.AfterFunc(ctx, d.cancel)
	<-d.done
	keep()
	timer.Stop()
	d.cancel()
}

func (d *deliverer) add(p *correlate.Parcel) {
	p.Query.Keys = nil // it is looked up no more
	d.mu.Lock()
	d.queue = append(d.queue, p)
	d.bytes += sizeOf(p)
	d.mu.Unlock()
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func (d *deliverer) backlog() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.bytes
}

func (d *deliverer) run() {
	defer close(d.done)
	for {
		batch, size := d.take()
		if len(batch) > 0 {
			d.send(batch)
			d.mu.Lock()
			d.bytes -= size
			d.mu.Unlock()
			continue
		}
		select {
		case <-d.wake:
		case <-d.quit:
			// What was added before the stop is handed on; nothing is added after it.
			if batch, _ := d.take(); len(batch) > 0 {
				d.send(batch)
				continue
			}
			return
		}
	}
}

// take removes the next batch from the queue. What it returns may be as large as one parcel.
func (d *deliverer) take() (batch []*correlate.Parcel, size int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := 0
	for n < len(d.queue) && (n == 0 || size+sizeOf(d.queue[n]) <= maxBatchBytes) {
		size += sizeOf(d.queue[n])
		n++
	}
	batch = slices.Clone(d.queue[:n])
	clear(d.queue[:n]) // the array lives on
	if d.queue = d.queue[n:]; len(d.queue) == 0 {
		d.queue = nil
	}
	return batch, size
}

func sizeOf(p *correlate.Parcel) int64 {
	return int64(len(p.Data)) + int64(len(p.Head.Data)) + parcelBytes
}

// send tries until the next component takes the batch or refuses it for good, or the processor
// shuts down.
func (d *deliverer) send(batch []*correlate.Parcel) {
	records := 0
	for _, p := range batch {
		records += p.Records
	}
	wait := firstRetry
	for {
		// Made anew for each attempt: who was given it may have changed it.
		logs, done := plog.NewLogs(), tally{}
		var head *correlate.Head
		for _, p := range batch {
			d.finish(logs, head, p, &done)
			head = p.Head
		}
		err := d.next.ConsumeLogs(d.ctx, logs)
		if err == nil {
			d.outcome(&done, records, false)
			return
		}
		if consumererror.IsPermanent(err) || d.stopping() {
			d.outcome(&done, records, true)
			d.log.Error("Held log records are lost: the next component refused them", zap.Int("records", records), zap.Error(err))
			return
		}
		d.retried()
		select {
		case <-d.quit:
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
		wait = min(2*wait, lastRetry)
	}
}

func (d *deliverer) stopping() bool {
	select {
	case <-d.quit:
		return true
	default:
		return false
	}
}
