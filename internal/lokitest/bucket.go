package lokitest

import (
	"fmt"
	"time"
)

// bucket is a token bucket with a clock of its own. It starts full.
type bucket struct {
	tokens float64
	last   time.Time
}

func newBucket(burst int, now time.Time) *bucket {
	return &bucket{float64(burst), now}
}

// allow takes n tokens, or none if there are fewer. A rate of 0 is no limit.
func (b *bucket) allow(now time.Time, n, rate, burst int) bool {
	if rate <= 0 {
		return true
	}
	if now.After(b.last) {
		b.tokens += now.Sub(b.last).Seconds() * float64(rate)
		b.last = now
	}
	b.tokens = min(b.tokens, float64(burst))
	if float64(n) > b.tokens {
		return false
	}
	b.tokens -= float64(n)
	return true
}

// byteSize writes bytes as Loki's messages do: 3MB, 512KB, 10B.
func byteSize(n int) string {
	switch {
	case n >= megabyte:
		return fmt.Sprintf("%dMB", n/megabyte)
	case n >= kilobyte:
		return fmt.Sprintf("%dKB", n/kilobyte)
	default:
		return fmt.Sprintf("%dB", n)
	}
}
