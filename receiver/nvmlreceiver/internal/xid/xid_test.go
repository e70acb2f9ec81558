package xid

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestTable(t *testing.T) {
	seen := map[string]uint64{}
	for code, m := range table {
		assert.True(t, strings.HasSuffix(m.Text, "."), "Xid %d: %q does not end with a full stop", code, m.Text)
		assert.Equal(t, 1, strings.Count(m.Text, "."), "Xid %d is more than one sentence", code)
		assert.Equal(t, strings.TrimSpace(m.Text), m.Text, "Xid %d", code)
		assert.NotEqual(t, plog.SeverityNumberUnspecified, m.Severity, "Xid %d", code)
		assert.True(t, m.Known, "Xid %d", code)
		other, twice := seen[m.Text]
		assert.False(t, twice, "Xid %d and %d have the same text", code, other)
		seen[m.Text] = code
	}
	assert.NotContains(t, table, uint64(Unidentified))
}

// An engine's code must not replace one that has a sentence of its own.
func TestEnginesAddCodes(t *testing.T) {
	codes := map[uint64]bool{}
	for _, e := range engines {
		for _, code := range e.codes {
			assert.False(t, codes[code], "Xid %d is listed twice", code)
			codes[code] = true
			assert.Contains(t, table[code].Text, e.name, "Xid %d", code)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, tt := range []struct {
		code     uint64
		severity plog.SeverityNumber
		contains string
	}{
		{13, plog.SeverityNumberWarn, "application"},
		{31, plog.SeverityNumberWarn, "application"},
		{43, plog.SeverityNumberWarn, "application"},
		{45, plog.SeverityNumberWarn, "earlier error"},
		{48, plog.SeverityNumberError, "ECC"},
		{63, plog.SeverityNumberInfo, "marked for replacement"},
		{64, plog.SeverityNumberFatal, "reset"},
		{73, plog.SeverityNumberWarn, "video encoder 2"},
		{74, plog.SeverityNumberFatal, "NVLink"},
		{79, plog.SeverityNumberFatal, "bus"},
		{94, plog.SeverityNumberError, "confined"},
		{95, plog.SeverityNumberFatal, "drain"},
		{119, plog.SeverityNumberFatal, "system processor"},
		{126, plog.SeverityNumberWarn, "copy engine 10"},
		{154, plog.SeverityNumberWarn, "action"},
		{160, plog.SeverityNumberInfo, "repair"},
	} {
		m := Lookup(tt.code)
		assert.True(t, m.Known, "Xid %d", tt.code)
		assert.Equal(t, tt.severity, m.Severity, "Xid %d", tt.code)
		assert.Contains(t, m.Text, tt.contains, "Xid %d", tt.code)
	}
}

func TestLookupUnknown(t *testing.T) {
	unknown, unidentified := Lookup(100000), Lookup(Unidentified)
	assert.NotEqual(t, unknown.Text, unidentified.Text)
	for _, m := range []Meaning{unknown, unidentified} {
		assert.False(t, m.Known)
		assert.Equal(t, plog.SeverityNumberError, m.Severity)
		assert.True(t, strings.HasSuffix(m.Text, "."))
	}
}
