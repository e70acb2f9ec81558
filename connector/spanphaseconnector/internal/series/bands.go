package series

import (
	"strconv"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Bands divide requests by the length of their input.
type Bands []band

type band struct {
	upTo int64 // tokens
	name string
}

// unknownBand is that of a request whose input is not known.
const unknownBand = "unknown"

// NewBands returns the bands up to each bound, in tokens, rising, and the one above.
func NewBands(bounds []int64) Bands {
	var list Bands
	from := "0"
	for _, b := range bounds {
		to := thousands(b)
		list = append(list, band{b, from + "-" + to})
		from = to
	}
	return append(list, band{name: from + "+"})
}

// thousands writes a number as its users do: 4096 tokens are 4k.
func thousands(n int64) string {
	if n%1024 == 0 && n > 0 {
		return strconv.FormatInt(n/1024, 10) + "k"
	}
	return strconv.FormatInt(n, 10)
}

// Band returns the name of the band of an input, empty where there are no bands.
func (s *Store) Band(input inference.Count) string {
	bands := s.cfg.Bands
	switch {
	case len(bands) == 0:
		return ""
	case !input.Known():
		return unknownBand
	}
	last := len(bands) - 1
	for i := range bands[:last] {
		if input.N() <= bands[i].upTo {
			return bands[i].name
		}
	}
	return bands[last].name
}
