package logcorrelationprocessor

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
)

// errBacklog makes senders try again later.
var errBacklog = errors.New("log_correlation: the next component does not take the records that have waited " +
	"(max_backlog_bytes reached); try again later")

// errStopped is for senders that are not told of the shutdown.
var errStopped = errors.New("log_correlation: is shut down; send to the one that took its place")

// join adds to records what their traces know, and holds those that come before their trace.
type join struct {
	member
	next consumer.Logs
	out  deliverer

	// gate is held while a batch passes: what it holds must be there when the rest is drained.
	gate    sync.RWMutex
	stopped bool
}

// Capabilities tells that records are changed.
func (j *join) Capabilities() consumer.Capabilities { return consumer.Capabilities{MutatesData: true} }

// Start joins the correlator of this id.
func (j *join) Start(context.Context, component.Host) error {
	if err := j.join(); err != nil {
		return err
	}
	c := j.correlator
	j.out = deliverer{
		next: j.next, log: j.set.Logger,
		finish:  c.finish,
		outcome: c.countDelivered,
		retried: c.countRetry,
	}
	j.out.start()
	c.flow.Lock()
	defer c.flow.Unlock()
	c.joins = append(c.joins, j)
	return nil
}

// Shutdown hands on all records that are held.
func (j *join) Shutdown(ctx context.Context) error {
	j.gate.Lock()
	again := j.stopped || !j.joined
	j.stopped = true
	j.gate.Unlock()
	if again {
		return nil
	}
	c := j.correlator
	// Whoever releases records has them delivered before this, or finds none.
	c.flow.Lock()
	c.deliver(c.core.Drain(time.Now(), j))
	c.joins = slices.DeleteFunc(c.joins, func(other *join) bool { return other == j })
	c.flow.Unlock()
	j.out.stop(ctx)
	return j.leave()
}

// group is what records that wait together have in common: all that they are looked up by.
type group struct {
	trace    [16]byte
	low64    bool
	span     [8]byte
	requests string
	own      int
	wait     time.Duration
}

// ConsumeLogs hands on at once what has nothing to wait for. Only then it holds the rest: if
// the next component fails, the sender keeps the whole batch.
func (j *join) ConsumeLogs(ctx context.Context, ld plog.Logs) error {
	j.gate.RLock()
	defer j.gate.RUnlock()
	if j.stopped {
		return errStopped
	}
	c := j.correlator
	if c.backlog() >= c.cfg.MaxBacklogBytes {
		c.telemetry.ProcessorLogCorrelationRefusedBatches.Add(ctx, 1, refusedByBacklog)
		return errBacklog
	}
	now := time.Now()
	var done tally
	held, left, err := j.split(now, ld, &done)
	if err != nil {
		return err
	}
	if err := pack(held); err != nil {
		return err
	}
	if left > 0 {
		withoutEmpty(ld)
		err := j.next.ConsumeLogs(ctx, ld)
		if err != nil {
			c.telemetry.ProcessorLogCorrelationRefusedBatches.Add(ctx, 1, refusedByNext)
			if !consumererror.IsPermanent(err) {
				giveBack(ld, held, err)
				return err
			}
			// Nobody tries again, so what is held has no other chance.
			j.hold(now, held)
			return err
		}
	}
	c.count(ctx, &done)
	j.hold(now, held)
	return nil
}

// split takes the records that have to wait out of a batch, and finishes the others.
func (j *join) split(now time.Time, ld plog.Logs, done *tally) (held []*correlate.Parcel, left int, err error) {
	var found extract.Found
	for _, rl := range ld.ResourceLogs().All() {
		service := serviceOf(rl)
		for _, sl := range rl.ScopeLogs().All() {
			var groups map[group]plog.LogRecordSlice
			var head *correlate.Head
			sl.LogRecords().RemoveIf(func(rec plog.LogRecord) bool {
				q, wait, a := j.look(rl, service, rec, &found, done)
				if wait == 0 {
					j.stamp(rec, &a, done)
					left++
					return false
				}
				if groups == nil {
					groups = map[group]plog.LogRecordSlice{}
					head = &correlate.Head{}
				}
				g := group{q.Trace, q.Low64, q.Span, requestsOf(&found), q.Own, wait}
				records, ok := groups[g]
				// What is more than may wait makes room for itself, instead of leaving as a whole.
				if !ok || records.Len() >= j.cfg.MaxHeldPerTrace {
					logs := plog.NewLogs()
					records = logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
					groups[g] = records
					held = append(held, &correlate.Parcel{Query: q, Owner: j, Arrived: now, Deadline: now.Add(wait), Logs: logs, Head: head})
				}
				rec.MoveTo(records.AppendEmpty())
				return true
			})
			if head != nil {
				if head.Data, err = (&plog.ProtoMarshaler{}).MarshalLogs(emptyLike(rl, sl)); err != nil {
					return nil, 0, err
				}
			}
		}
	}
	return held, left, nil
}

// hold keeps parcels until there is something to say about them.
func (j *join) hold(now time.Time, held []*correlate.Parcel) {
	for _, p := range held {
		j.release(func(c *correlate.Core) []*correlate.Parcel { return c.Hold(now, p) })
	}
}

// look reads a record, puts its ids and fields where they belong, and says what is known about
// it and how long it should wait for more.
func (j *join) look(rl plog.ResourceLogs, service string, rec plog.LogRecord, found *extract.Found, done *tally) (
	q correlate.Query, wait time.Duration, a correlate.Answer,
) {
	c := j.correlator
	c.extractor.Extract(rl.Resource().Attributes(), rec, found)
	extract.Standardise(rec, found, c.cfg.RemoveOriginals)
	done.invalid += int64(found.Invalid)
	done.dropped += int64(found.Dropped)
	q = correlate.Query{Trace: found.Trace, Low64: found.Low64, Span: found.Span}
	for _, shared := range [...]bool{false, true} {
		for i := range found.Requests() {
			if found.Shared(i) == shared {
				q.Keys = appendKeys(q.Keys, found.Request(i))
			}
		}
		if !shared {
			q.Own = len(q.Keys)
		}
	}
	if q.None() {
		a = correlate.Answer{State: correlate.StateNoID}
	} else if a = c.core.Look(&q); !a.Final && (c.cfg.WaitForSampled || !joinedAlready(rec)) {
		wait = c.holder.of(service, rec, found)
	}
	if a.Guess && wait == 0 {
		a = correlate.Answer{State: correlate.StateUnmatched} // its own trace may come yet
	}
	c.promote(rec, found, &a)
	return q, wait, a
}

// promote writes the ids that were found into the record's own fields. Of an id of 64 bits the
// whole one must be known.
func (c *correlator) promote(rec plog.LogRecord, found *extract.Found, a *correlate.Answer) {
	if found.Low64 && a.Trace != [16]byte{} {
		found.Trace, found.Low64 = a.Trace, false
	}
	extract.Promote(rec, found, c.cfg.RemoveDuplicates)
}

// requestsOf tells records of the same request ids from others.
func requestsOf(found *extract.Found) string {
	if found.Requests() < 2 {
		return found.RequestID
	}
	var all strings.Builder
	all.WriteString(found.RequestID)
	for i := 1; i < found.Requests(); i++ {
		all.WriteByte('\n') // in no id
		all.Write(found.Request(i).Key(0))
	}
	return all.String()
}

func serviceOf(rl plog.ResourceLogs) string {
	// Files and syslog have none.
	v, ok := rl.Resource().Attributes().Get("service.name")
	if !ok {
		return ""
	}
	return v.AsString()
}

// emptyLike returns logs of the same resource and scope.
func emptyLike(rl plog.ResourceLogs, sl plog.ScopeLogs) plog.Logs {
	logs := plog.NewLogs()
	r := logs.ResourceLogs().AppendEmpty()
	r.SetSchemaUrl(rl.SchemaUrl())
	rl.Resource().CopyTo(r.Resource())
	s := r.ScopeLogs().AppendEmpty()
	s.SetSchemaUrl(sl.SchemaUrl())
	sl.Scope().CopyTo(s.Scope())
	return logs
}

// pack marshals what is to be held: bytes are a tenth of what the same records take as objects.
func pack(held []*correlate.Parcel) error {
	for _, p := range held {
		p.Records = p.Logs.LogRecordCount()
		data, err := (&plog.ProtoMarshaler{}).MarshalLogs(p.Logs)
		if err != nil {
			return err
		}
		p.Data, p.Logs = data, plog.Logs{}
	}
	return nil
}

// unpack is the reverse of pack. Records go to the last scope of logs if that is the one of
// their head.
func unpack(logs plog.Logs, last *correlate.Head, p *correlate.Parcel) (added plog.LogRecordSlice) {
	data := unmarshal(p.Data)
	if p.Head != last {
		unmarshal(p.Head.Data).ResourceLogs().MoveAndAppendTo(logs.ResourceLogs())
	}
	return lastScope(data)
}

func unmarshal(data []byte) plog.Logs {
	logs, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(data)
	if err != nil {
		// It was marshalled here.
		return plog.NewLogs()
	}
	return logs
}

func lastScope(logs plog.Logs) plog.LogRecordSlice {
	r := logs.ResourceLogs()
	s := r.At(r.Len() - 1).ScopeLogs()
	return s.At(s.Len() - 1).LogRecords()
}

// giveBack puts records back into a batch that was refused: a receiver that tries again does so
// with the batch that it has given, or with the part that the error names.
func giveBack(ld plog.Logs, held []*correlate.Parcel, err error) {
	var part consumererror.Logs
	named := errors.As(err, &part) && part.Data() != ld
	for _, p := range held {
		logs := plog.NewLogs()
		unpack(logs, nil, p).MoveAndAppendTo(lastScope(logs))
		if named {
			for _, rl := range logs.ResourceLogs().All() {
				rl.CopyTo(part.Data().ResourceLogs().AppendEmpty())
			}
		}
		logs.ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
	}
}

// withoutEmpty removes the resources and scopes of which all records are held.
func withoutEmpty(ld plog.Logs) {
	ld.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool { return sl.LogRecords().Len() == 0 })
		return rl.ScopeLogs().Len() == 0
	})
}

// finish adds the records of a released parcel to logs, with what is known about them. Those of
// one batch that follow each other stay below one resource.
func (c *correlator) finish(logs plog.Logs, last *correlate.Head, p *correlate.Parcel, done *tally) {
	records := unpack(logs, last, p)
	waited := max(0, p.Left.Sub(p.Arrived))
	to := lastScope(logs)
	for _, rec := range records.All() {
		if p.Query.Low64 && p.Answer.Trace != [16]byte{} {
			var found extract.Found
			rl := logs.ResourceLogs().At(logs.ResourceLogs().Len() - 1)
			c.extractor.Extract(rl.Resource().Attributes(), rec, &found)
			c.promote(rec, &found, &p.Answer)
		}
		c.stamp(rec, &p.Answer, done)
		rec.Attributes().PutInt(attrWait, waited.Milliseconds())
	}
	records.MoveAndAppendTo(to)
	done.waits = append(done.waits, waits{waited, p.Records})
}
