package play

import "github.com/otelcol-inference/otelcol-inference/cmd/inferctl/internal/truth"

// truth is the account of a run that is over.
func (p *player) truth() *truth.Truth {
	return &truth.Truth{
		Style: p.Style, Seed: p.Engine.Seed, RunID: p.RunID,
		Service: p.Identity.Service, Environment: p.Identity.Environment,
		Start: p.clock.Timestamp(0), End: p.clock.Timestamp(p.last),
		Interrupted: p.interrupted, Requests: p.requests,
		Sent: p.sent(), Models: p.book.Models(),
	}
}

func (p *player) sent() truth.Sent {
	var s truth.Sent
	s.Spans, s.SpansFailed, _ = p.spanTally.Result()
	s.LogRecords, s.LogRecordsFailed, _ = p.logTally.Result()
	if f, ok := p.log.(interface{ Lines() int }); ok {
		s.LogRecords = f.Lines()
	}
	return s
}
