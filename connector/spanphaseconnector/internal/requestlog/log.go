package requestlog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Only says which requests get a record.
type Only string

// The choices.
const (
	OnlyAll   Only = "all"
	OnlySlow  Only = "slow"
	OnlyError Only = "error" // every outcome but ok
)

// Config of a [Log]. Durations and numbers must be above zero, but for Slow.
type Config struct {
	Scope, ScopeVersion string
	Only                Only
	// Slow is from which duration on a request is slow; 0 is that of its objective.
	Slow       time.Duration
	Objectives []Objective
	// FlushInterval is how long a record waits for others.
	FlushInterval time.Duration
	// Timeout is how long the logs pipeline may take for a batch, and for all that is left at the end.
	Timeout    time.Duration
	MaxBatch   int // records
	MaxPending int // records that may wait
}

// Reason tells why records were dropped.
type Reason uint8

// The reasons.
const (
	ReasonMaxPending Reason = iota // MaxPending was reached
	ReasonRefused                  // the logs pipeline refused them for good
	ReasonShutdown                 // it did not take them before the end
	NumReasons
)

var reasonNames = [NumReasons]string{"max_pending", "refused", "shutdown"}

// String returns the value of the attribute reason.
func (r Reason) String() string { return reasonNames[r] }

// Stats are a log's numbers about itself.
type Stats struct {
	Pending atomic.Int64 // now
	Sent    atomic.Int64
	Failed  atomic.Int64 // batches that were not taken, each attempt
	Dropped [NumReasons]atomic.Int64
}

const (
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Log is the request log. Add may be called at any time and by many; it neither waits for the logs
// pipeline nor allocates once the buffers have grown. One goroutine, from Start to Stop, hands on.
type Log struct {
	cfg    Config
	Stats  Stats
	logger *zap.Logger
	choice choice

	mu      sync.Mutex
	filling []entry
	running bool

	next    consumer.Logs // of the goroutine, as all below
	sending []entry       // the other buffer
	writer  writer
	failing bool // the last attempt failed

	ctx    context.Context //nolint:containedctx // of its own goroutine
	cancel context.CancelFunc
	wake   chan struct{}
	quit   chan struct{}
	done   chan struct{}
}

// New returns a log that takes nothing until it is started.
func New(cfg Config, logger *zap.Logger) *Log {
	return &Log{
		cfg: cfg, logger: logger, choice: choice{only: cfg.Only, slow: cfg.Slow, objectives: cfg.Objectives},
		writer: writer{scope: cfg.Scope, version: cfg.ScopeVersion},
	}
}

// Start hands records on to next, until Stop.
func (l *Log) Start(next consumer.Logs) {
	l.next = next
	l.ctx, l.cancel = context.WithCancel(context.Background())
	l.wake, l.quit, l.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	l.mu.Lock()
	l.running = true
	l.mu.Unlock()
	go l.run()
}

// Stop hands on what is left, with one attempt for each batch, and ends. It does not wait for a
// pipeline that ignores its deadline longer than ctx allows.
func (l *Log) Stop(ctx context.Context) error {
	l.mu.Lock()
	l.running = false
	l.mu.Unlock()
	close(l.quit)
	timer := time.AfterFunc(l.cfg.Timeout, l.cancel)
	defer timer.Stop()
	defer l.cancel()
	defer context.AfterFunc(ctx, l.cancel)()
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the logs pipeline did not take the request log in time: %w", ctx.Err())
	}
}

// Add takes a closed request, of which it keeps no more than values.
func (l *Log) Add(r *inference.Request) {
	if !l.choice.wants(r) {
		return
	}
	e := entryOf(r)
	l.mu.Lock()
	full := l.add(&e)
	l.mu.Unlock()
	if full {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// add adds an entry, if there is room, and reports whether a batch is full.
func (l *Log) add(e *entry) (full bool) {
	switch {
	case !l.running:
		l.Stats.Dropped[ReasonShutdown].Add(1)
		return false
	case l.Stats.Pending.Load() >= int64(l.cfg.MaxPending):
		l.Stats.Dropped[ReasonMaxPending].Add(1)
		return false
	}
	l.Stats.Pending.Add(1)
	l.filling = append(l.filling, *e)
	return len(l.filling) == l.cfg.MaxBatch
}

func (l *Log) run() {
	defer close(l.done)
	tick := time.NewTicker(l.cfg.FlushInterval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-l.wake:
		case <-l.quit:
			l.flush()
			if n := l.Stats.Dropped[ReasonShutdown].Load(); n > 0 {
				l.logger.Error("Request log records are lost: the logs pipeline did not take them before the shutdown", zap.Int64("records", n))
			}
			return
		}
		l.flush()
	}
}

// flush hands on all that waits.
func (l *Log) flush() {
	l.mu.Lock()
	l.filling, l.sending = l.sending[:0], l.filling
	l.mu.Unlock()
	for rest := l.sending; len(rest) > 0; {
		batch := rest[:min(len(rest), l.cfg.MaxBatch)]
		rest = rest[len(batch):]
		l.send(batch)
	}
	clear(l.sending) // its strings are of spans that are gone
}

// send tries until the logs pipeline takes a batch or refuses it for good, or the log is stopped.
func (l *Log) send(batch []entry) {
	now, left := time.Now(), len(batch)
	var rest *plog.Logs // what is left of a batch of which a part was taken
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		// Made anew for each attempt: who was given it may have changed it.
		var logs plog.Logs
		if rest == nil {
			logs = l.writer.logs(now, batch)
		} else {
			logs = plog.NewLogs()
			rest.CopyTo(logs)
		}
		err := l.attempt(logs)
		if err == nil {
			l.settle(&l.Stats.Sent, left)
			return
		}
		if part := refusedPart(err); part != nil {
			l.settle(&l.Stats.Sent, left-part.LogRecordCount())
			rest, left = part, part.LogRecordCount()
		}
		switch {
		case consumererror.IsPermanent(err):
			l.settle(&l.Stats.Dropped[ReasonRefused], left)
			return
		case l.stopping():
			l.settle(&l.Stats.Dropped[ReasonShutdown], left)
			return
		}
		select {
		case <-l.quit:
		case <-time.After(wait/2 + rand.N(wait/2)):
		}
	}
}

// attempt hands logs on. The first failure after a success is logged.
func (l *Log) attempt(logs plog.Logs) error {
	ctx, cancel := context.WithTimeout(l.ctx, l.cfg.Timeout)
	defer cancel()
	err := l.next.ConsumeLogs(ctx, logs)
	if err != nil {
		l.Stats.Failed.Add(1)
		if !l.failing {
			l.logger.Warn("The logs pipeline refused request log records; up to request_log::max_pending of them wait for it. "+
				"This is logged once until it takes some.", zap.Error(err), zap.Bool("for_good", consumererror.IsPermanent(err)))
		}
	}
	l.failing = err != nil
	return err
}

// settle counts records that do not wait any more.
func (l *Log) settle(as *atomic.Int64, records int) {
	l.Stats.Pending.Add(int64(-records))
	as.Add(int64(records))
}

func (l *Log) stopping() bool {
	select {
	case <-l.quit:
		return true
	default:
		return false
	}
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
