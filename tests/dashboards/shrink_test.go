package dashboards

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// shrink writes a picture with its 256 most frequent colours, which line drawings do not miss: it
// is in the repository.
func shrink(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	from, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)
	count := map[color.Color]int{}
	bounds := from.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[from.At(x, y)]++
		}
	}
	palette := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return cmp.Compare(count[b], count[a]) })
	to := image.NewPaletted(bounds, palette[:min(len(palette), 256)])
	draw.Draw(to, bounds, from, bounds.Min, draw.Src)
	var b bytes.Buffer
	require.NoError(t, (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, to))
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	t.Logf("%s: %d KiB", file, b.Len()>>10)
}
