package lokitest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// sanitise gives metadata the names and values that Loki stores, and reports how many names came
// twice by it. It fails as Loki 3.6 and later do where nothing is left of a name.
func sanitise(metadata []Pair, v Version) (clean []Pair, collisions int, err error) {
	seen := make(map[string]bool, len(metadata))
	for _, p := range metadata {
		name := labelName(p.Name)
		if v.poisons() {
			switch {
			case name == "":
				return nil, 0, fmt.Errorf("normalization for label name %q resulted in empty name", p.Name)
			case strings.Trim(name, "_") == "":
				return nil, 0, fmt.Errorf("normalization for label name %q resulted in invalid name %q", p.Name, name)
			}
		}
		if seen[name] {
			collisions++
		}
		seen[name] = true
		value := p.Value
		if strings.ContainsRune(value, utf8.RuneError) || !utf8.ValidString(value) {
			value = strings.ReplaceAll(strings.ToValidUTF8(value, ""), string(utf8.RuneError), "")
		}
		clean = append(clean, Pair{name, value})
	}
	return clean, collisions, nil
}

// labelName is a name as prometheus/otlptranslator's LabelNamer makes it: what is no letter or
// digit becomes an underscore, of several in a row one is left, and a digit cannot be the first.
// Reserved names, __x__, keep their underscores.
func labelName(name string) string {
	if inner, ok := strings.CutPrefix(name, "__"); ok {
		if inner, ok = strings.CutSuffix(inner, "__"); ok && strings.Trim(inner, "_") != "" {
			return "__" + collapse(inner) + "__"
		}
	}
	name = collapse(name)
	if name != "" && '0' <= name[0] && name[0] <= '9' {
		name = "key_" + name
	}
	return name
}

func collapse(name string) string {
	var b strings.Builder
	under := false
	for _, r := range name {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			b.WriteRune(r)
			under = false
			continue
		}
		if !under {
			b.WriteByte('_')
		}
		under = true
	}
	return b.String()
}

func metadataSize(metadata []Pair) int {
	n := 0
	for _, p := range metadata {
		n += len(p.Name) + len(p.Value)
	}
	return n
}

// sorted is metadata in the order in which Loki compares it.
func sorted(metadata []Pair) []Pair {
	metadata = slices.Clone(metadata)
	slices.SortStableFunc(metadata, func(a, b Pair) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.Value, b.Value)
	})
	return metadata
}
