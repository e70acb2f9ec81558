package play

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/engine"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/logs"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/otlp"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/spans"
	"github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"
)

// Run plays a simulation and returns the truth about it, also together with an
// error when the receiver did not take everything. When ctx is cancelled no more
// requests arrive, and those in flight are served to their end.
//
// It sets the global error handler of the SDK, so that what the receiver
// rejects is not only logged.
func Run(ctx context.Context, o Options) (*truth.Truth, error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(p.spanTally.Fail))
	p.sim.Run(func(at time.Duration) { p.pace(ctx, at) }, p.observe)
	err = errors.Join(p.logErr, p.close(context.WithoutCancel(ctx)))
	return p.truth(), errors.Join(err, p.lost())
}

// player is a run under way.
type player struct {
	Options
	sim       *engine.Simulation
	clock     *Clock
	ids       *spans.IDs
	book      *truth.Book
	writer    spans.Writer
	processor sdktrace.SpanProcessor
	log       logs.Log
	spanTally *otlp.Tally
	logTally  *otlp.Tally

	requests    int
	last        time.Duration
	told        time.Duration // virtual time of the last word about what is open
	interrupted bool
	logErr      error
}

func open(ctx context.Context, o Options) (*player, error) {
	sim, err := engine.New(o.Engine)
	if err != nil {
		return nil, err
	}
	if err = errors.Join(o.Target.Validate(), spans.CheckStyle(o.Style), o.CheckLogs()); err != nil {
		return nil, err
	}
	p := &player{
		Options: o, sim: sim, ids: spans.NewIDs(o.RunID, o.Engine.Seed),
		book: truth.NewBook(), spanTally: otlp.NewTally(), logTally: otlp.NewTally(),
	}
	if p.clock, err = o.startClock(); err != nil {
		return nil, err
	}
	if p.processor, err = o.openSpans(ctx, p.spanTally); err != nil {
		return nil, err
	}
	if p.log, err = o.openLog(ctx, p.logTally); err != nil {
		return nil, err
	}
	p.writer, err = spans.NewWriter(spans.Setup{
		Style: o.Style, Identity: o.Identity, IDs: p.ids,
		Timestamp: p.clock.Timestamp, Processor: p.processor, Book: p.book,
	})
	return p, err
}

// startClock needs the length of the run, which only a rehearsal can tell,
// unless virtual time is wall time.
func (o *Options) startClock() (*Clock, error) {
	if o.Speed == 1 {
		return NewClock(time.Now(), o.Speed, 0)
	}
	length, err := engine.Length(o.Engine)
	if err != nil {
		return nil, err
	}
	return NewClock(time.Now(), o.Speed, length)
}

// pace waits until it is time. After an interruption only those in flight are
// worth waiting for, and after a broken export nobody is.
func (p *player) pace(ctx context.Context, at time.Duration) {
	p.tell(at)
	broken := p.broken()
	if ctx.Err() == nil && !broken && p.clock.Wait(at, ctx.Done(), p.spanTally.Broken()) {
		return
	}
	p.interrupted = true
	p.sim.StopArrivals()
	if p.sim.InFlight() > 0 && !broken {
		p.clock.Wait(at, nil, p.spanTally.Broken())
	}
}

// tell says from time to time that a saturated service still serves what is
// open, long after the last request arrived.
func (p *player) tell(at time.Duration) {
	if p.Progress == nil || p.Speed == 0 || at < p.Engine.Duration || at < p.told+tellEach {
		return
	}
	p.told = at
	fmt.Fprintf(p.Progress, "arrivals have ended; %d requests are still served\n", p.sim.InFlight())
}

// tellEach is how often, in virtual time.
const tellEach = 15 * time.Second

func (p *player) broken() bool {
	select {
	case <-p.spanTally.Broken():
		return true
	default:
		return false
	}
}

func (p *player) observe(m engine.Moment) {
	span := p.writer.Observe(m)
	p.last = m.At
	if m.Milestone == engine.Ended {
		p.requests++
	}
	err := p.log.Observe(logs.Moment{
		Moment: m, Time: p.clock.Timestamp(m.At), Span: span,
		RequestID: p.ids.Request(m.Request.Index), EngineID: p.ids.Engine(m.Request.Index),
	})
	if err != nil && p.logErr == nil {
		p.logErr = err
	}
}

func (p *player) close(ctx context.Context) error {
	return errors.Join(p.processor.ForceFlush(ctx), p.processor.Shutdown(ctx), p.log.Close())
}

// lost tells what the receiver did not take.
func (p *player) lost() error {
	return errors.Join(
		lostItems("spans", p.Target.Endpoint, p.spanTally), lostItems("log records", p.Target.Endpoint, p.logTally))
}

func lostItems(what, endpoint string, tally *otlp.Tally) error {
	sent, failed, err := tally.Result()
	switch {
	case err == nil:
		return nil
	case failed == 0:
		return fmt.Errorf("%s may be lost, %s said: %w", what, endpoint, err)
	}
	return fmt.Errorf("%d of %d %s were not accepted by %s: %w", failed, sent+failed, what, endpoint, err)
}
