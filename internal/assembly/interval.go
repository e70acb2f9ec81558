package assembly

import (
	"cmp"
	"slices"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// interval is a time span in Unix nanoseconds.
type interval struct{ start, end int64 }

func intervalOf(f *dialect.Facts) interval { return interval{f.Start, f.End} }

// overlaps reports whether both share more than a point.
func (i interval) overlaps(o interval) bool { return i.start < o.end && o.start < i.end }

// covers reports whether o lies inside i.
func (i interval) covers(o interval) bool { return i.start <= o.start && o.end <= i.end }

// union returns the length in seconds of what the intervals cover together.
// It sorts them.
func union(list []interval) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.SortFunc(list, func(a, b interval) int { return cmp.Compare(a.start, b.start) })
	var total int64
	at := list[0]
	for _, i := range list[1:] {
		if i.start > at.end {
			total += at.end - at.start
			at = i
		}
		at.end = max(at.end, i.end)
	}
	return float64(total+at.end-at.start) / 1e9
}
