package logcorrelationprocessor

import (
	"fmt"
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/correlate"
	"github.com/otelcol-inference/otelcol-inference/processor/logcorrelationprocessor/internal/extract"
)

// The README lists every key, parser, state and attribute: one that is new and not there fails
// here.
func TestReadme(t *testing.T) {
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	readme := string(data)
	row := func(first string) { assert.Contains(t, readme, fmt.Sprintf("| %#q |", first)) }
	for _, key := range configKeys(reflect.TypeFor[Config](), "") {
		row(key)
	}
	for _, name := range extract.ParserNames() {
		row(name)
	}
	for state := range correlate.NumStates {
		row(state.String())
	}
	for field := range extract.NumFields {
		row(field.String())
	}
	for _, name := range []string{attrState, attrAdded, attrWait, attrEngine, attrSlowest, attrError, attrSampled} {
		row(name)
	}
	for cause := range correlate.NumCauses {
		assert.Contains(t, readme, "`"+cause.String()+"`")
	}
}

// configKeys are the keys of a configuration, of lists those of one entry. Those of dialects are on a
// page that several components share.
func configKeys(of reflect.Type, prefix string) (keys []string) {
	for f := range of.Fields() {
		tag := f.Tag.Get("mapstructure")
		switch {
		case tag == "":
		case tag == "dialects":
			keys = append(keys, prefix+tag+"::custom")
		case tag == ",squash":
			keys = append(keys, configKeys(f.Type, prefix)...)
		case f.Type.Kind() == reflect.Slice && f.Type.Elem().Kind() == reflect.Struct:
			keys = append(keys, configKeys(f.Type.Elem(), prefix+tag+"::")...)
		case f.Type.Kind() == reflect.Struct && tag != "sampled_for":
			keys = append(keys, configKeys(f.Type, prefix+tag+"::")...)
		default:
			keys = append(keys, prefix+tag)
		}
	}
	return keys
}
