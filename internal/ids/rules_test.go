package ids

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaultRulesAreValid(t *testing.T) {
	rules := DefaultRules()
	require.NoError(t, rules.Check())
	require.NoError(t, new(Rules).Check())
}

func TestCheckReportsEveryMistake(t *testing.T) {
	rules := Rules{Prefixes: []string{"cmpl-", "", "chat", "a b-", "cmpl-", strings.Repeat("x", 32) + "-", "té-", `"x-`}}
	for i := range 60 {
		rules.Prefixes = append(rules.Prefixes, fmt.Sprintf("p%d-", i))
	}
	assert.EqualError(t, rules.Check(), strings.Join([]string{
		`prefixes: must be at most 64 (got 68); keep those that your engines write`,
		`prefixes::1: must not be empty; write the prefix with its separator, as "cmpl-", or remove the entry`,
		`prefixes::2: "chat" has no separator at its end, so it would be cut out of a longer word; ` +
			`end it with one of - _ : . /, as in "cmpl-"`,
		`prefixes::3: "a b-" holds a space, a quote or a character outside ASCII, which no id begins with; remove it`,
		`prefixes::4: "cmpl-" is already prefixes::0; remove one`,
		`prefixes::5: "` + strings.Repeat("x", 32) + `-" must be at most 32 characters long (got 33); shorten it`,
		`prefixes::6: "té-" holds a space, a quote or a character outside ASCII, which no id begins with; remove it`,
		`prefixes::7: "\"x-" holds a space, a quote or a character outside ASCII, which no id begins with; remove it`,
	}, "\n"))
}
