package inference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzDimensions puts texts together and takes them apart again.
func FuzzDimensions(f *testing.F) {
	f.Add("a", "b", "c")
	f.Add("", "", "")
	f.Add("", "b", "")
	f.Add("a", "", "c")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		values := []string{strings.ToValidUTF8(a, "?"), strings.ToValidUTF8(b, "?"), strings.ToValidUTF8(c, "?")}
		var builder DimensionsBuilder
		build := func() Dimensions {
			builder.Begin()
			for i, v := range values {
				if i > 0 {
					builder.Next()
				}
				builder.Add(v)
			}
			return builder.End()
		}
		d := build()
		assert.Equal(t, d, build())
		assert.Equal(t, strings.Join(values, "") == "", d == "", "empty where there is no value")
		for rest, i := d, 0; i < len(values); i++ {
			var v string
			v, rest = rest.Cut()
			assert.Equal(t, values[i], v)
		}
	})
}
