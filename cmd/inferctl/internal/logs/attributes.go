package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"go.opentelemetry.io/otel/attribute"
)

// fields turns a JSON line into attributes of the same names and values, so
// that the two can never differ.
func fields(line []byte) ([]attribute.KeyValue, error) {
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber() // tokens stay integers
	var values map[string]any
	if err := decoder.Decode(&values); err != nil {
		return nil, fmt.Errorf("request log: %w", err)
	}
	attributes := make([]attribute.KeyValue, 0, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		attributes = append(attributes, attribute.KeyValue{Key: attribute.Key(name), Value: valueOf(name, values[name])})
	}
	return attributes, nil
}

func valueOf(name string, v any) attribute.Value {
	number, ok := v.(json.Number)
	if !ok {
		return attribute.StringValue(fmt.Sprint(v))
	}
	if i, err := number.Int64(); err == nil && !isTime(name) {
		return attribute.Int64Value(i)
	}
	f, _ := number.Float64() // marshalled from a float64 a moment ago
	return attribute.Float64Value(f)
}

// isTime tells names of times, which are doubles even when they are whole.
func isTime(name string) bool {
	return len(name) > 3 && name[len(name)-3:] == "_ms"
}
