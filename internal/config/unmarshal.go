// Package config reads the configuration of components so that a person sees
// every mistake at once, each with its key and the fix.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// Unmarshal decodes conf into cfg, a pointer to a struct. Where it fails, the
// error holds the unknown keys, what could not be decoded, and what validate
// says of the rest.
func Unmarshal(conf *confmap.Conf, cfg any, validate func() error) error {
	keys := allKeys(reflect.TypeOf(cfg).Elem(), "")
	unknown := unknownKeys(conf.ToStringMap(), keys, "")
	errs := make([]error, 0, len(unknown)+2)
	for _, key := range unknown {
		conf.Delete(key)
		errs = append(errs, unknownKeyError(key, keys))
	}
	errs = append(errs, conf.Unmarshal(cfg))
	if err := errors.Join(errs...); err != nil {
		return errors.Join(err, validate())
	}
	return nil
}

// unknownKeyError names a key that there is not, and what was likely meant.
func unknownKeyError(key string, keys []string) error {
	name := lastPart(key)
	best := slices.MinFunc(keys, func(a, b string) int {
		return cmp.Compare(distance(name, lastPart(a)), distance(name, lastPart(b)))
	})
	if distance(name, lastPart(best)) <= 1+len(name)/3 {
		return fmt.Errorf("%s: there is no such key; did you mean %s?", key, best)
	}
	beside := slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return section(k) != section(key) })
	return fmt.Errorf("%s: there is no such key; there are %s", key, strings.Join(beside, ", "))
}

// section is what of a key stands before its last part.
func section(key string) string { return strings.TrimSuffix(key, lastPart(key)) }

func lastPart(key string) string {
	return key[strings.LastIndex(key, confmap.KeyDelimiter)+1:]
}

// allKeys returns the keys of a struct in their order, those of its sections
// after the section, whole as conf writes them.
func allKeys(t reflect.Type, prefix string) (keys []string) {
	for f := range t.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("mapstructure"), ",")
		if options == "squash" {
			keys = append(keys, allKeys(f.Type, prefix)...)
			continue
		}
		if tag == "" {
			continue
		}
		keys = append(keys, prefix+tag)
		if f.Type.Kind() == reflect.Struct {
			keys = append(keys, allKeys(f.Type, prefix+tag+confmap.KeyDelimiter)...)
		}
	}
	return keys
}

// unknownKeys returns the keys of m that are not among keys, in order. It
// looks into a section only where keys do.
func unknownKeys(m map[string]any, keys []string, prefix string) (unknown []string) {
	for name, value := range m {
		key := prefix + name
		if !slices.Contains(keys, key) {
			unknown = append(unknown, key)
			continue
		}
		inside := func(k string) bool { return strings.HasPrefix(k, key+confmap.KeyDelimiter) }
		if section, ok := value.(map[string]any); ok && slices.ContainsFunc(keys, inside) {
			unknown = append(unknown, unknownKeys(section, keys, key+confmap.KeyDelimiter)...)
		}
	}
	slices.Sort(unknown)
	return unknown
}

// distance returns how many letters must be changed, added or left out to make
// b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
