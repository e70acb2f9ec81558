package series

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// kept returns the values of the exemplars, in their order.
func (x *exemplars) kept() (values []float64) {
	for i := range x.list {
		if x.list[i].at != 0 {
			values = append(values, x.list[i].value)
		}
	}
	return values
}

// Scenario: values one after the other, a second apart.
// Guarantees: the two largest and the two latest of the others are kept; a large one for a minute
// only.
func TestExemplars(t *testing.T) {
	start := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		values []float64
		gap    time.Duration // before the last one
		want   []float64
	}{
		"none":           {},
		"few":            {values: []float64{1, 2}, want: []float64{1, 2}},
		"falling":        {values: []float64{9, 8, 7, 6, 5, 4}, want: []float64{4, 5, 8, 9}},
		"rising":         {values: []float64{1, 2, 3, 4, 5, 6}, want: []float64{3, 4, 5, 6}},
		"one outlier":    {values: []float64{1, 50, 2, 1, 3, 1, 2}, want: []float64{1, 2, 3, 50}},
		"equal":          {values: []float64{1, 1, 1, 1, 1}, want: []float64{1, 1, 1, 1}},
		"outlier of old": {values: []float64{50, 40, 1, 2, 3}, gap: time.Hour, want: []float64{2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			var x exemplars
			now := start
			for i, v := range c.values {
				if now = now.Add(time.Second); i == len(c.values)-1 {
					now = now.Add(c.gap)
				}
				x.keep(&exemplar{value: v, at: now.UnixNano()})
			}
			if c.gap > 0 {
				x.keep(&exemplar{value: 2, at: now.UnixNano()})
				x.forget(now.UnixNano() - exemplarAge)
			}
			assert.ElementsMatch(t, c.want, x.kept())
		})
	}
}
