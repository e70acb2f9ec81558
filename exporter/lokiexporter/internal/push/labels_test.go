package push

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAppendLabels(t *testing.T) {
	for want, pairs := range map[string][]Pair{
		`{}`:                    nil,
		`{a="b"}`:               {{"a", "b"}},
		`{a="1", b="2", c="3"}`: {{"c", "3"}, {"a", "1"}, {"b", "2"}},
		`{b="2"}`:               {{"a", ""}, {"b", "2"}, {"c", ""}},
		`{a="\"\\\n\t}{,="}`:    {{"a", "\"\\\n\t}{,="}},
		`{a="模型 é", b="\x00\xff\u200b\U0001f5ffff"}`: {{"b", "\x00\xff\u200b\U0001f5ffff"}, {"a", "模型 é"}},
	} {
		if want == `{a="模型 é", b="\x00\xff\u200b\U0001f5ffff"}` {
			// An emoji prints as it is.
			want = "{a=\"模型 é\", b=\"\\x00\\xff\\u200b\U0001f5ffff\"}"
		}
		assert.Equal(t, "x"+want, string(AppendLabels([]byte("x"), slices.Clone(pairs))))
		slices.Reverse(pairs)
		assert.Equal(t, want, string(AppendLabels(nil, pairs)))
	}
}
