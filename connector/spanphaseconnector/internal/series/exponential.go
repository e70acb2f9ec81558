package series

import (
	"math"
	"math/big"
)

// exponential is the positive half of an exponential histogram of the OpenTelemetry data model:
// bucket i holds what is above base^i and at most base^(i+1), where base is 2^(2^-scale). It
// begins at the finest scale and halves its resolution whenever the values need more buckets than
// there may be.
//
// Mapping is exact: the mantissas of the 256 bounds of an octave are calculated, not looked for with a
// logarithm, and a coarser scale is a shift away.
type exponential struct {
	scale  int32
	start  int32 // index of counts[0]
	zero   uint64
	counts []uint64
}

// maxScale is the finest scale: 256 buckets for each power of two, an error below 0.3 %. It is
// the finest of Prometheus' native histograms, too.
const maxScale = 8

const (
	mantissaBits = 52
	mantissaMask = 1<<mantissaBits - 1
	exponentBias = 1023
	// lookupBits divide an octave so finely that no part has two bounds.
	lookupBits = maxScale + 1
)

// octave holds the mantissas of the bounds within one octave, rounded down; the
// last one is above all mantissas. lookup holds, for each of its parts, the
// bucket in which the part begins.
var octave, lookup = func() (bounds [1<<maxScale + 1]uint64, parts [1 << lookupBits]uint16) {
	const precision = 200 // bits: 256 multiplications must not reach the last of 52
	base := big.NewFloat(2).SetPrec(precision)
	for range maxScale {
		base.Sqrt(base)
	}
	one := new(big.Float).SetPrec(precision).SetInt64(1)
	bound := new(big.Float).Copy(one)
	for i := range len(bounds) - 1 {
		fraction := new(big.Float).Sub(bound, one)
		bounds[i], _ = fraction.SetMantExp(fraction, mantissaBits).Uint64()
		bound.Mul(bound, base)
	}
	bounds[len(bounds)-1] = math.MaxUint64
	bucket := 0
	for i := range parts {
		for begin := uint64(i) << (mantissaBits - lookupBits); bounds[bucket+1] < begin; {
			bucket++
		}
		parts[i] = uint16(bucket)
	}
	return bounds, parts
}()

// indexOf returns the bucket of v, finite and above zero, at maxScale.
func indexOf(v float64) int32 {
	bits := math.Float64bits(v)
	exponent := int32(bits>>mantissaBits) - exponentBias
	if exponent == -exponentBias { // subnormal: exact as a normal number
		bits = math.Float64bits(v * (1 << mantissaBits))
		exponent = int32(bits>>mantissaBits) - exponentBias - mantissaBits
	}
	mantissa := bits & mantissaMask
	if mantissa == 0 { // a power of two is the upper bound of its bucket
		return exponent<<maxScale - 1
	}
	bucket := lookup[mantissa>>(mantissaBits-lookupBits)]
	index := exponent<<maxScale + int32(bucket)
	if mantissa > octave[bucket+1] {
		index++
	}
	return index
}

// record counts v, finite and not below zero, in one of maxSize buckets.
func (x *exponential) record(v float64, maxSize int) {
	if v == 0 {
		x.zero++
		return
	}
	index := indexOf(v)
	at := index>>(maxScale-x.scale) - x.start
	if uint32(at) < uint32(len(x.counts)) {
		x.counts[at]++
		return
	}
	x.widen(index>>(maxScale-x.scale), maxSize, 1)
}

// widen counts n values of a bucket at the present scale that counts do not hold.
func (x *exponential) widen(index int32, maxSize int, n uint64) {
	if len(x.counts) == 0 {
		x.start = index
	}
	low, high := min(index, x.start), max(index, x.start+int32(len(x.counts))-1)
	by := int32(0)
	for int(high>>by)-int(low>>by) >= maxSize {
		by++
	}
	x.coarsen(by)
	index, low, high = index>>by, low>>by, high>>by
	if before := int(x.start - low); before > 0 {
		was := len(x.counts)
		x.lengthen(was + before)
		copy(x.counts[before:], x.counts[:was])
		clear(x.counts[:before])
		x.start = low
	}
	x.lengthen(int(high-low) + 1)
	x.counts[index-x.start] += n
}

// lengthen makes counts at least n long.
func (x *exponential) lengthen(n int) {
	for len(x.counts) < n {
		x.counts = append(x.counts, 0)
	}
}

// coarsen halves the resolution so many times.
func (x *exponential) coarsen(times int32) {
	if times == 0 {
		return
	}
	x.scale -= times
	start := x.start >> times
	length := 0
	for i, n := range x.counts {
		to := int((x.start+int32(i))>>times - start)
		if to == length {
			x.counts[to] = 0
			length++
		}
		x.counts[to] += n
	}
	x.start, x.counts = start, x.counts[:length]
}

// add adds the counts of y.
func (x *exponential) add(y *exponential, maxSize int) {
	x.zero += y.zero
	if x.scale > y.scale {
		x.coarsen(x.scale - y.scale)
	}
	for i, n := range y.counts {
		if n == 0 {
			continue
		}
		at := (y.start+int32(i))>>(y.scale-x.scale) - x.start
		if uint32(at) < uint32(len(x.counts)) {
			x.counts[at] += n
		} else {
			x.widen(at+x.start, maxSize, n)
		}
	}
}
