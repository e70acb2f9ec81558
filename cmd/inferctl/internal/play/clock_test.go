package play

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimestampsEndNow(t *testing.T) {
	now := time.Unix(1000, 0)
	for speed, wantEnd := range map[float64]time.Duration{0: 0, 1: 60 * time.Second, 10: 6 * time.Second} {
		c, err := NewClock(now, speed, time.Minute)
		require.NoError(t, err)
		assert.Equal(t, wantEnd, c.Timestamp(time.Minute).Sub(now), "speed %v", speed)
		assert.Equal(t, time.Minute, c.Timestamp(time.Minute).Sub(c.Timestamp(0)), "distances are kept")
	}
	for _, speed := range []float64{-1, 0.5} {
		_, err := NewClock(now, speed, time.Minute)
		assert.ErrorContains(t, err, "--speed")
	}
}

func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed := make(chan struct{})
		close(closed)
		start := time.Now()
		c, err := NewClock(start, 2, time.Minute)
		require.NoError(t, err)
		assert.True(t, c.Wait(10*time.Second, nil, nil))
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.True(t, c.Wait(8*time.Second, closed, nil), "already due")
		assert.False(t, c.Wait(20*time.Second, closed, nil))
		assert.False(t, c.Wait(20*time.Second, nil, closed))
		assert.Equal(t, 5*time.Second, time.Since(start))
	})
}
