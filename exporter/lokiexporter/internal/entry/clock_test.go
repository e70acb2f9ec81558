package entry

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// at gives a record a time in the minute of now.
func at(second int) func(plog.LogRecord) {
	return ago(5*time.Second - time.Duration(second)*time.Second)
}

func ago(d time.Duration) func(plog.LogRecord) {
	return func(rec plog.LogRecord) { rec.SetTimestamp(pcommon.NewTimestampFromTime(now.Add(-d))) }
}

func observedAgo(d time.Duration) func(plog.LogRecord) {
	return func(rec plog.LogRecord) { rec.SetObservedTimestamp(pcommon.NewTimestampFromTime(now.Add(-d))) }
}

func timeless(rec plog.LogRecord) { rec.SetTimestamp(0) }

func TestTimes(t *testing.T) {
	const week = 7 * 24 * time.Hour
	far := func(rec plog.LogRecord) { rec.SetTimestamp(1<<64 - 1) }
	type changes = []func(plog.LogRecord)
	for _, row := range []struct {
		policy  string
		changes changes
		want    string
	}{
		{PolicyClamp, changes{ago(time.Hour)}, "-1h0m0s"},
		{PolicyClamp, changes{timeless}, "0s"},
		{PolicyClamp, changes{timeless, observedAgo(time.Minute)}, "-1m0s"},
		{PolicyClamp, changes{ago(time.Hour), observedAgo(time.Minute)}, "-1h0m0s observed_timestamp=1768471145000000000"},
		{PolicyClamp, changes{ago(-9 * time.Minute)}, "9m0s"},
		{PolicyClamp, changes{ago(-9*time.Minute - 1)}, "0s original_timestamp=1768471745000000001"},
		{PolicyClamp, changes{ago(week - time.Hour)}, "-167h0m0s"},
		{PolicyClamp, changes{ago(week - time.Hour + 1), observedAgo(time.Minute)}, "-167h0m0s original_timestamp=1767870004999999999 observed_timestamp=1768471145000000000"},
		{PolicyClamp, changes{timeless, observedAgo(week)}, "-167h0m0s original_timestamp=1767866405000000000 observed_timestamp=1767866405000000000"},
		{PolicyClamp, changes{far}, "0s original_timestamp=18446744073709551615"},
		{PolicyClamp, changes{func(rec plog.LogRecord) { rec.SetTimestamp(1768471205) }}, "0s original_timestamp=1768471205"},
		{PolicyKeep, changes{ago(week)}, "-168h0m0s"},
		{PolicyKeep, changes{ago(-time.Hour)}, "1h0m0s"},
		{PolicyDrop, changes{ago(week)}, ""},
		{PolicyDrop, changes{far}, ""},
		{PolicyDrop, changes{ago(time.Hour)}, "-1h0m0s"},
	} {
		c := newConverter(t, func(cfg *Config) { cfg.Timestamps.TooOld, cfg.Timestamps.TooNew = row.policy, row.policy })
		list := c.Convert(one(t, nil, nil, row.changes...), "")
		if row.want == "" {
			assert.Empty(t, list)
			assert.EqualValues(t, 1, c.Stats().Dropped.Load())
			continue
		}
		got := time.Duration(list[0].Streams[0].Entries[0].Time - now.UnixNano()).String()
		if meta := metadataOf(t, list); meta != "" {
			got += " " + meta
		}
		assert.Equal(t, row.want, got)
	}
}

// TestTooFarBehind is about records that come late to a stream that is alive.
func TestTooFarBehind(t *testing.T) {
	for policy, want := range map[string]string{
		PolicyClamp: "-55m0s original_timestamp=1768464005000000000",
		PolicyKeep:  "-2h0m0s ",
		PolicyDrop:  "",
	} {
		c := newConverter(t, func(cfg *Config) { cfg.Timestamps.TooFarBehind, cfg.Timestamps.TooNew = policy, PolicyKeep })
		ld := one(t, nil, nil, ago(2*time.Hour))
		one(t, nil, nil, ago(0)).ResourceLogs().MoveAndAppendTo(ld.ResourceLogs())
		list := c.Convert(ld, "")
		assert.Len(t, list[0].Streams[0].Entries, 2, "in one batch the older one comes first")
		c.Convert(one(t, nil, nil, ago(-time.Hour)), "") // is refused, and does not count
		if list = c.Convert(one(t, nil, nil, ago(2*time.Hour)), ""); want == "" {
			assert.Empty(t, list)
			late := one(t, nil, nil, ago(2*time.Hour))
			one(t, map[string]any{"service.name": "a"}, nil).ResourceLogs().MoveAndAppendTo(late.ResourceLogs())
			assert.Equal(t, "{service_name=\"a\"} 0s \"\"\n", told(c.Convert(late, "")))
			continue
		}
		got := time.Duration(list[0].Streams[0].Entries[0].Time-now.UnixNano()).String() + " " + metadataOf(t, list)
		assert.Equal(t, want, got)
		assert.EqualValues(t, 1, c.Stats().Behind.Load())
	}
}
