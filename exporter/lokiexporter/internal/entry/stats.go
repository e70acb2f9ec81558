package entry

import "sync/atomic"

// Stats counts what was done to records, since the start. Read it at any time.
type Stats struct {
	// ActiveStreams and ActiveTenants are how many there are, as of the last Convert or Sweep.
	ActiveStreams, ActiveTenants atomic.Int64
	// ValueOverflow is records that had a label's value replaced because of max_label_values,
	// StreamOverflow because of max_streams.
	ValueOverflow, StreamOverflow atomic.Int64
	// Unlabelled is records that no label was found for.
	Unlabelled atomic.Int64
	// TenantInvalid is records whose tenant Loki would refuse, TenantOverflow those beyond
	// max_tenants.
	TenantInvalid, TenantOverflow atomic.Int64
	// LinesTruncated is lines that were cut, MetadataTruncated values of metadata that were
	// cut, MetadataDropped values that had no place or name left.
	LinesTruncated, MetadataTruncated, MetadataDropped atomic.Int64
	// NamesRenamed is names of metadata that were taken, or that had no character Loki takes.
	NamesRenamed atomic.Int64
	// Repaired is lines and values that were no UTF-8.
	Repaired atomic.Int64
	// NoTime is records without a time of their own; TooOld, TooNew and Behind those outside
	// of what Loki takes, by any policy; Clamped and Dropped by theirs.
	NoTime, TooOld, TooNew, Behind, Clamped, Dropped atomic.Int64
	// Moved is entries that were moved by nanoseconds to be distinct.
	Moved atomic.Int64
}

// tally is the counts of one call, which are added at once.
type tally struct {
	valueOverflow, streamOverflow, unlabelled, tenantInvalid, tenantOverflow int64
	linesTruncated, metadataTruncated, metadataDropped, renamed, repaired    int64
	noTime, tooOld, tooNew, behind, clamped, dropped, moved                  int64
}

func (s *Stats) add(t *tally) {
	for _, c := range []struct {
		total *atomic.Int64
		n     int64
	}{
		{&s.ValueOverflow, t.valueOverflow},
		{&s.StreamOverflow, t.streamOverflow},
		{&s.Unlabelled, t.unlabelled},
		{&s.TenantInvalid, t.tenantInvalid},
		{&s.TenantOverflow, t.tenantOverflow},
		{&s.LinesTruncated, t.linesTruncated},
		{&s.MetadataTruncated, t.metadataTruncated},
		{&s.MetadataDropped, t.metadataDropped},
		{&s.NamesRenamed, t.renamed},
		{&s.Repaired, t.repaired},
		{&s.NoTime, t.noTime},
		{&s.TooOld, t.tooOld},
		{&s.TooNew, t.tooNew},
		{&s.Behind, t.behind},
		{&s.Clamped, t.clamped},
		{&s.Dropped, t.dropped},
		{&s.Moved, t.moved},
	} {
		if c.n != 0 {
			c.total.Add(c.n)
		}
	}
}
