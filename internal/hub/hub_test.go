package hub

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Scenario: instances of two configurations come and go.
// Guarantees: those of one share a state, which ends with the last of them, once; one that comes
// later has a new one.
func TestHub(t *testing.T) {
	var h Hub[*int, *string]
	one, two := new(int), new(int)
	made, ended := 0, []string{}
	join := func(key *int, name string) *string {
		v, err := h.Join(key, func() (*string, error) { made++; return &name, nil })
		require.NoError(t, err)
		return v
	}
	leave := func(key *int) {
		require.NoError(t, h.Leave(key, func(v *string) error { ended = append(ended, *v); return nil }))
	}
	assert.Same(t, join(one, "a"), join(one, "b"))
	assert.Equal(t, "c", *join(two, "c"))
	assert.Equal(t, 2, made)
	leave(one)
	assert.Empty(t, ended)
	leave(one)
	leave(one) // once too often
	assert.Equal(t, []string{"a"}, ended)
	assert.Equal(t, "d", *join(one, "d"))
	leave(one)
	leave(two)
	assert.Equal(t, []string{"a", "d", "c"}, ended)
	assert.Zero(t, h.Len())
}

// Scenario: the state cannot be made, or does not end well.
// Guarantees: the error is handed on, and nothing is left behind.
func TestErrors(t *testing.T) {
	var h Hub[int, int]
	broken := errors.New("broken")
	_, err := h.Join(1, func() (int, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
	require.NoError(t, h.Leave(1, func(int) error { return broken }), "it was never there")
	_, err = h.Join(1, func() (int, error) { return 1, nil })
	require.NoError(t, err)
	require.ErrorIs(t, h.Leave(1, func(int) error { return broken }), broken)
	require.Zero(t, h.Len())
}

// Scenario: many instances come and go at once.
// Guarantees: there is never more than one state of a key.
func TestConcurrency(t *testing.T) {
	var h Hub[string, int]
	var alive atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				now, _ := h.Join("key", func() (int, error) { return int(alive.Add(1)), nil })
				assert.Equal(t, 1, now)
				_ = h.Leave("key", func(int) error { alive.Add(-1); return nil })
			}
		})
	}
	all.Wait()
	assert.Zero(t, h.Len())
}
