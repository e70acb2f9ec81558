package casetest

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Example returns the section of a key in the configuration that a page shows: in the first block of
// YAML that has the text.
func Example(tb testing.TB, page, text, key string) *confmap.Conf {
	tb.Helper()
	section, err := exampleOf(tb, page, text).Sub(key)
	require.NoError(tb, err)
	require.NotEmpty(tb, section.AllKeys(), "%s shows no %s", page, key)
	return section
}

func exampleOf(tb testing.TB, page, text string) *confmap.Conf {
	tb.Helper()
	data, err := os.ReadFile(page)
	require.NoError(tb, err)
	for _, block := range yamlBlock.FindAllStringSubmatch(string(data), -1) {
		if !strings.Contains(block[1], text) {
			continue
		}
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(block[1]))
		require.NoError(tb, err)
		conf, err := retrieved.AsConf()
		require.NoError(tb, err)
		return conf
	}
	require.Fail(tb, "no block of YAML", "%s shows none with %q", page, text)
	return nil
}
