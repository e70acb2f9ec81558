package push

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Texts stay until the last of their entries is released, on whichever stream it is by then.
func TestTexts(t *testing.T) {
	const makers, rounds, entries = 4, 200, 300
	var done sync.WaitGroup
	for m := range makers {
		done.Go(func() {
			var waiting []Stream
			for i := range rounds {
				texts := NewTexts()
				list := texts.Entries(entries)
				for k := range list {
					list[k] = Entry{Time: int64(k), Content: texts.String([]byte(content(m, i, k))), Texts: texts}
				}
				waiting = append(waiting, Stream{Labels: strconv.Itoa(i), Entries: list[:100:100]}, Stream{Labels: strconv.Itoa(i), Entries: list[100:]})
				if len(waiting) < 8 {
					continue
				}
				// Two parts of different texts in one stream.
				joined := append(waiting[1].Entries, waiting[2].Entries...) //nolint:gocritic // as merging does it
				for k, e := range joined {
					at := int(e.Time)
					if k < 200 {
						assert.Equal(t, content(m, i-3, at), e.Content)
					} else {
						assert.Equal(t, content(m, i-2, at), e.Content)
					}
				}
				Release([]Stream{{Entries: joined}, waiting[0], waiting[3]})
				waiting = waiting[4:]
			}
		})
	}
	done.Wait()
}

func content(m, i, k int) string {
	return fmt.Sprintf("%d/%d/%d", m, i, k) + strings.Repeat("x", k)
}

// Released entries are gone, so that nothing of them can be sent by mistake.
func TestReleased(t *testing.T) {
	texts := NewTexts()
	list := texts.Entries(1)
	list[0] = Entry{Content: texts.String([]byte("secret")), Texts: texts}
	content, streams := list[0].Content, []Stream{{Entries: list}}
	Release(streams)
	assert.Empty(t, streams[0].Entries)
	assert.NotEqual(t, "secret", content)
	assert.NotPanics(t, func() { Release(streams) }, "twice")
}
