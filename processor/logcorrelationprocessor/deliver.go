package logcorrelationprocessor

import (
	"context"
	"errors"
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

	lost int   // and not told yet; of its own goroutine
	why  error // the last was

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
	defer d.tell()
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
	var done tally
	var rest *plog.Logs // what is left of a batch of which the rest was taken
	wait := firstRetry
	for {
		// Made anew for each attempt: who was given it may have changed it.
		logs := plog.NewLogs()
		if rest != nil {
			rest.CopyTo(logs)
		} else {
			done = d.make(logs, batch)
		}
		err := d.next.ConsumeLogs(d.ctx, logs)
		if err == nil {
			d.outcome(&done, records, false)
			return
		}
		if part := refusedPart(err); part != nil {
			left := part.LogRecordCount()
			d.outcome(&tally{}, records-left, false)
			rest, records = part, left
		}
		if consumererror.IsPermanent(err) || d.stopping() {
			d.outcome(&done, records, true)
			if d.lose(records, err); !d.stopping() {
				d.tell()
			}
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

// lose notes what was refused, and why.
func (d *deliverer) lose(records int, err error) {
	d.lost += records
	d.why = err
}

// tell logs what was lost. At the shutdown that is once for all batches: a logger leaves most of
// many equal lines out, and nobody reads metrics any more.
func (d *deliverer) tell() {
	if d.lost > 0 {
		d.log.Error("Held log records are lost: the next component refused them", zap.Int("records", d.lost), zap.Error(d.why))
		d.lost = 0
	}
}

// make writes the records of a batch.
func (d *deliverer) make(logs plog.Logs, batch []*correlate.Parcel) (done tally) {
	var head *correlate.Head
	for _, p := range batch {
		d.finish(logs, head, p, &done)
		head = p.Head
	}
	return done
}

// refusedPart returns the part that an error says was refused, or nil if it says nothing. Where
// several components failed, each part is that of one of them, so none is.
func refusedPart(err error) *plog.Logs {
	for ; err != nil; err = errors.Unwrap(err) {
		if part, ok := err.(consumererror.Logs); ok { //nolint:errorlint // see above
			data := part.Data()
			return &data
		}
	}
	return nil
}

func (d *deliverer) stopping() bool {
	select {
	case <-d.quit:
		return true
	default:
		return false
	}
}
