package gpu

import "go.opentelemetry.io/collector/pdata/pcommon"

// counterKey names a counter of one GPU: the metric and its attributes.
type counterKey struct {
	metric string
	attr   int
}

// counter follows a counter of the driver from its first observation on.
type counter struct {
	start pcommon.Timestamp
	last  uint64
	// wrapped is what 32-bit wraps have swallowed.
	wrapped uint64
}

// counters are owned by one reader.
type counters map[counterKey]*counter

// observe returns the value to report for a raw value, and since when it counts. NVML does
// not say when a counter began, so the start is its first observation, as OpenTelemetry asks
// for in that case. A smaller value is a reset by the driver, which begins anew at now, unless
// the driver counts in 32 bits and the value is what a wrap leaves behind.
func (c counters) observe(key counterKey, raw uint64, wraps32 bool, now pcommon.Timestamp) (uint64, pcommon.Timestamp) {
	k, known := c[key]
	if !known {
		k = &counter{start: now}
		c[key] = k
	}
	if raw < k.last {
		if wraps32 && k.last > 1<<31 && raw < 1<<31 {
			k.wrapped += 1 << 32
		} else {
			k.start, k.wrapped = now, 0
		}
	}
	k.last = raw
	return k.wrapped + raw, k.start
}
