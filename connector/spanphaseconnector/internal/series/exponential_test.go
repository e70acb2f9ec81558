package series

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lightstep/go-expohisto/structure"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is what a histogram holds, by bucket at one scale.
func (x *exponential) counted(scale int32) map[int32]uint64 {
	by := make(map[int32]uint64)
	for i, n := range x.counts {
		if n > 0 {
			by[(x.start+int32(i))>>(x.scale-scale)] += n
		}
	}
	return by
}

// reference counts values as the library of the OpenTelemetry SDK's authors does.
func reference(values []float64, maxSize int) *structure.Histogram[float64] {
	return structure.NewFloat64(structure.NewConfig(structure.WithMaxSize(int32(maxSize))), values...)
}

// compare requires that x counts values as the reference does, at the coarser of their scales. The reference takes
// logarithms above scale 0, so that a value next to a bound may be one bucket off in it: values are
// shifted away from bounds before.
func compare(t *testing.T, x *exponential, values []float64, maxSize int) {
	t.Helper()
	want := reference(values, maxSize)
	scale := min(x.scale, want.Scale())
	wanted := make(map[int32]uint64)
	for i := range want.Positive().Len() {
		if n := want.Positive().At(i); n > 0 {
			wanted[(want.Positive().Offset()+int32(i))>>(want.Scale()-scale)] += n
		}
	}
	assert.Equal(t, wanted, x.counted(scale))
	assert.Equal(t, want.ZeroCount(), x.zero)
	assert.GreaterOrEqual(t, x.scale, min(maxScale, want.Scale()), "no coarser than the reference")
	assert.LessOrEqual(t, len(x.counts), maxSize)
}

// FuzzExponential counts any values in any number of buckets, at once and in two histograms
// that are then added.
func FuzzExponential(f *testing.F) {
	bytes := func(values ...float64) (b []byte) {
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	f.Add(uint16(160), bytes(0.001, 1, 2, 600))
	f.Add(uint16(20), bytes(1, 1.001, 1.002, 0, 0.5, 0.25))
	f.Add(uint16(2), bytes(math.MaxFloat64, 1, 0x1p-1022))
	f.Add(uint16(3), bytes(0.1, 0.1, 1e300, 7))
	f.Fuzz(func(t *testing.T, size uint16, data []byte) {
		maxSize := 2 + int(size)%400
		var values []float64
		for ; len(data) >= 8; data = data[8:] {
			v := math.Abs(math.Float64frombits(binary.LittleEndian.Uint64(data)))
			if math.IsNaN(v) || math.IsInf(v, 0) || v != 0 && (v < 0x1p-1022 || nearBound(v)) {
				continue
			}
			values = append(values, v)
		}
		whole := exponential{scale: maxScale}
		parts := [2]exponential{{scale: maxScale}, {scale: maxScale}}
		for i, v := range values {
			whole.record(v, maxSize)
			parts[i%2].record(v, maxSize)
		}
		compare(t, &whole, values, maxSize)
		parts[0].add(&parts[1], maxSize)
		compare(t, &parts[0], values, maxSize)
	})
}

// nearBound reports whether v is so near a bound of the finest scale that a
// logarithm may be on its other side; powers of two are exact in both.
func nearBound(v float64) bool {
	fraction, _ := math.Frexp(v)
	at := math.Log2(fraction) * (1 << maxScale)
	return fraction != 0.5 && math.Abs(at-math.Round(at)) < 1e-9
}

// Guarantees: each value is above the lower bound of its bucket and not above the upper one, at powers of
// two, next to every bound, at both ends of the numbers, and in between.
func TestIndexOf(t *testing.T) {
	within := func(v float64) {
		t.Helper()
		index := indexOf(v)
		// Relative to the octave: 2^-1074 and 2^1024 are no numbers to calculate with.
		octaveOf, part := index>>maxScale, index&(1<<maxScale-1)
		fraction, exponent := math.Frexp(v)
		fraction = math.Ldexp(fraction, exponent-int(octaveOf))
		lower, upper := math.Exp2(float64(part)/(1<<maxScale)), math.Exp2(float64(part+1)/(1<<maxScale))
		if fraction*(1+1e-15) <= lower || fraction*(1-1e-15) > upper {
			t.Errorf("%g is not in bucket %d: %g is not in (%g, %g]", v, index, fraction, lower, upper)
		}
	}
	for exponent := -1074; exponent < 1024; exponent++ {
		assert.Equal(t, int32(exponent)<<maxScale-1, indexOf(math.Ldexp(1, exponent)), "2^%d", exponent)
	}
	assert.Equal(t, int32(1024)<<maxScale-1, indexOf(math.MaxFloat64))
	for i := range 1 << maxScale {
		bound := math.Exp2(float64(i) / (1 << maxScale))
		for _, v := range []float64{math.Nextafter(bound, 0), bound, math.Nextafter(bound, 2)} {
			within(v)
			within(v * 0x1p-1030) // subnormal
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		within(math.Ldexp(0.5+random.Float64()/2, random.IntN(2080)-1060))
	}
}

// Scenario: latencies of a service, from a millisecond to a minute.
// Guarantees: after the first of them nothing is allocated, and the scale fits max_size.
func TestExponentialSteadyState(t *testing.T) {
	x := exponential{scale: maxScale}
	latencies := logNormal(10_000)
	for _, v := range latencies {
		x.record(v, 160)
	}
	require.LessOrEqual(t, len(x.counts), 160)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		for _, v := range latencies {
			x.record(v, 160)
		}
	}))
}

func logNormal(n int) []float64 {
	random := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Exp(random.NormFloat64()*1.2 - 1)
	}
	return values
}

// BenchmarkExponential compares an update with that of the library.
func BenchmarkExponential(b *testing.B) {
	latencies := logNormal(4096)
	b.Run("own", func(b *testing.B) {
		x := exponential{scale: maxScale}
		for i := 0; b.Loop(); i++ {
			x.record(latencies[i%len(latencies)], 160)
		}
	})
	b.Run("expohisto", func(b *testing.B) {
		x := reference(latencies, 160)
		for i := 0; b.Loop(); i++ {
			x.UpdateByIncr(latencies[i%len(latencies)], 1)
		}
	})
}
