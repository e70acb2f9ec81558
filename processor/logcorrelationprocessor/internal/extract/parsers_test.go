package extract

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDocumentedLines reads every example of parsers.md by the parser that it
// stands for.
func TestDocumentedLines(t *testing.T) {
	text, err := os.ReadFile("../../parsers.md")
	require.NoError(t, err)
	x := newExtractor(t)
	var parser string
	var seen []string
	for row := range strings.Lines(string(text)) {
		row = strings.TrimRight(row, "\n")
		if fence, ok := strings.CutPrefix(row, "```"); ok {
			if parser = fence; parser != "" {
				seen = append(seen, parser)
			}
			continue
		}
		if parser == "" {
			continue
		}
		f := extractFrom(x, record(t, row, nil))
		assert.Equal(t, parser, f.Parser, row)
		assert.True(t, f.HasID() || f.Fields.Any() || parser == "uvicorn", row)
		assert.Zero(t, f.Invalid+f.Dropped, row)
	}
	slices.Sort(seen)
	assert.Equal(t, ParserNames(), seen, "every parser has an example")
	for _, name := range ParserNames() {
		assert.Contains(t, string(text), "\n| `"+name+"` |")
	}
	for field := range NumFields {
		assert.Contains(t, string(text), "\n| `"+field.String()+"` |")
	}
}

// TestDocumentedNames resolves every name of the table of names.
func TestDocumentedNames(t *testing.T) {
	text, err := os.ReadFile("../../parsers.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "| standard field |")
	for row := range strings.Lines(table) {
		if !strings.HasPrefix(row, "| `") {
			continue
		}
		cells := strings.Split(row, "`")
		field := cells[1]
		for i := 1; i < len(cells); i += 2 {
			name := cells[i]
			if strings.Contains(name, "::") {
				continue
			}
			e := resolve(name)
			if field == FieldRequestID.String() {
				assert.Contains(t, []meaning{meansID, meansPayloadID}, e.means, name)
				continue
			}
			assert.Contains(t, []meaning{meansField, meansBare, meansWhole}, e.means, name)
			assert.Equal(t, field, e.field.String(), name)
		}
	}
}
