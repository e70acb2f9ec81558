package ids

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rules says what servers add to a request id. The zero Rules adds nothing:
// only equal ids meet. They must not change while they are in use.
type Rules struct {
	// Prefixes are what an API puts before the id, each with its separator.
	// Of several that fit the longest counts, and only one is taken off.
	Prefixes []string `mapstructure:"prefixes"`
	// IndexSuffix cuts -<n> and _<n>: the number of a prompt in its request.
	IndexSuffix bool `mapstructure:"index_suffix"`
	// RandomSuffix cuts -<8 hexadecimal digits>: what makes an id unique in an
	// engine.
	RandomSuffix bool `mapstructure:"random_suffix"`
	// IndexPrefix cuts <n>_: the number of a sample where a request asks for
	// several.
	IndexPrefix bool `mapstructure:"index_prefix"`
}

// DefaultRules returns the rules for vLLM and for APIs like OpenAI's. vLLM
// makes an id in four steps. Its API puts a prefix before X-Request-Id or a
// random id, and adds -<prompt> for completions and pooling or _<chunk> for
// speech (entrypoints/openai); the engine adds -<8 digits>
// (v1/engine/input_processor.py, vllm-project/vllm#27987); parallel sampling
// puts <sample>_ before all that (v1/engine/parallel_sampling.py).
func DefaultRules() Rules {
	return Rules{
		Prefixes: []string{
			"cmpl-", "chatcmpl-", "chat-", "embd-", "pool-", "score-", "rerank-", "resp-", "resp_",
			"classify-", "tokn-", "tokenize-", "req-", "chatcmpl-batch-", "generate-tokens-",
			"beam_search-", "transcribe-", "translate-",
		},
		IndexSuffix:  true,
		RandomSuffix: true,
		IndexPrefix:  true,
	}
}

// Bounds of a configuration: every prefix is compared with every id.
const (
	maxPrefixes  = 64
	maxPrefixLen = 32
)

// Check reports every mistake, each with its key and the fix. It is not called Validate, which the
// collector would call by itself, and a person would read each mistake twice.
func (r *Rules) Check() error {
	var errs []error
	if len(r.Prefixes) > maxPrefixes {
		errs = append(errs, fmt.Errorf("prefixes: must be at most %d (got %d); keep those that your engines write",
			maxPrefixes, len(r.Prefixes)))
	}
	for i, p := range r.Prefixes {
		if err := validatePrefix(p); err != nil {
			errs = append(errs, fmt.Errorf("prefixes::%d: %w", i, err))
		}
		if first := slices.Index(r.Prefixes, p); first < i {
			errs = append(errs, fmt.Errorf("prefixes::%d: %q is already prefixes::%d; remove one", i, p, first))
		}
	}
	return errors.Join(errs...)
}

func validatePrefix(p string) error {
	if p == "" {
		return errors.New(`must not be empty; write the prefix with its separator, as "cmpl-", or remove the entry`)
	}
	var errs []error
	if len(p) > maxPrefixLen {
		errs = append(errs, fmt.Errorf("%q must be at most %d characters long (got %d); shorten it", p, maxPrefixLen, len(p)))
	}
	outside := func(c rune) bool { return c <= ' ' || c > '~' || quote(byte(c)) }
	if strings.ContainsFunc(p, outside) {
		errs = append(errs, fmt.Errorf("%q holds a space, a quote or a character outside ASCII, which no id begins with; "+
			"remove it", p))
	}
	if !strings.ContainsRune("-_:./", rune(p[len(p)-1])) {
		errs = append(errs, fmt.Errorf(`%q has no separator at its end, so it would be cut out of a longer word; `+
			`end it with one of - _ : . /, as in "cmpl-"`, p))
	}
	return errors.Join(errs...)
}

// prefix returns the length of the prefix that s begins with. An id that is
// nothing but a prefix has none.
func (r *Rules) prefix(s string) int {
	longest := 0
	for _, p := range r.Prefixes {
		if len(p) > longest && len(p) < len(s) && p[0] == s[0] && strings.HasPrefix(s, p) {
			longest = len(p)
		}
	}
	return longest
}
