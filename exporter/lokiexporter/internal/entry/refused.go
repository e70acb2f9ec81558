package entry

import (
	"strings"

	"github.com/otelcol-inference/otelcol-inference/internal/cardinality"
)

// whyRefused is why a name is no label.
var whyRefused = [...]string{
	cardinality.Identifies: "identifies one thing, so that every value would be a stream of its own",
	cardinality.Measures:   "is a measurement, so that nearly every record would be a stream of its own",
	cardinality.Says:       "is free text, so that nearly every record would be a stream of its own",
	cardinality.Personal:   "is about a user, so that every user would be a stream",
}

// refused says why a name should be no label; empty where nothing speaks against it.
func refused(name string) string {
	if name == "" {
		return ""
	}
	return whyRefused[cardinality.Of(strings.ToLower(sanitise(name)))]
}
