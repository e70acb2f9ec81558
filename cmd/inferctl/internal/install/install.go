// Package install writes rules and routes into the configurations of a Prometheus and an
// Alertmanager that somebody already runs. It adds what is called inference where that is missing, and
// leaves all else, comments among it, as it was. Doing it again changes nothing but rules and templates.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// folder is the one beside a configuration that holds our files.
const folder = "inference"

// prefix is how our receivers are called.
const prefix = "inference-"

// Prometheus writes rule files beside a prometheus.yml and names them in it. It returns their folder.
func Prometheus(config string, files map[string][]byte) (string, error) {
	dir := filepath.Join(filepath.Dir(config), folder)
	return dir, edit(config, func(c *document) error {
		pattern := filepath.Join(dir, "*.rules.yml")
		return errors.Join(write(dir, files), c.addTo("rule_files", pattern))
	})
}

// Alertmanager writes templates beside an alertmanager.yml, and what the shipped folder's alertmanager.yml
// says of routes, inhibition and receivers into it. Global settings that are missing are added; their
// names are returned, since they need values of the user's own.
func Alertmanager(config, shipped string) (added []string, err error) {
	data, err := os.ReadFile(filepath.Join(shipped, "alertmanager.yml")) //nolint:gosec // the user names the folder
	if err != nil {
		return nil, err
	}
	var ours struct {
		Global       map[string]any   `yaml:"global"`
		Route        routes           `yaml:"route"`
		InhibitRules []map[string]any `yaml:"inhibit_rules"`
		Receivers    []map[string]any `yaml:"receivers"`
	}
	if err = yaml.Unmarshal(data, &ours); err != nil {
		return nil, err
	}
	templates := map[string][]byte{}
	list, err := filepath.Glob(filepath.Join(shipped, "templates", "*.tmpl"))
	if err != nil {
		return nil, err
	}
	for _, file := range list {
		if templates[filepath.Base(file)], err = os.ReadFile(file); err != nil { //nolint:gosec // found above
			return nil, err
		}
	}
	dir := filepath.Join(filepath.Dir(config), folder)
	return added, edit(config, func(c *document) error {
		added = c.addMissing("global", ours.Global)
		errs := []error{write(dir, templates), c.addTo("templates", filepath.Join(dir, "*.tmpl"))}
		for _, r := range ours.InhibitRules {
			errs = append(errs, c.addTo("inhibit_rules", r))
		}
		errs = append(errs, addNamed(c.sequence(c.root, "receivers"), "name", ours.Receivers))
		route := c.mapping(c.root, "route")
		errs = append(errs, addNamed(c.sequence(route, "routes"), "receiver", ours.Route.Routes))
		return errors.Join(errs...)
	})
}

type routes struct {
	Routes []map[string]any `yaml:"routes"`
}

// document is a YAML file whose comments and order are kept.
type document struct{ root *yaml.Node }

// edit reads a file, changes it, and writes it if it has changed; the file as it was is beside it, as .bak.
func edit(file string, change func(*document) error) error {
	data, err := os.ReadFile(file) //nolint:gosec // the user names the file
	if err != nil {
		return err
	}
	var n yaml.Node
	if err = yaml.Unmarshal(data, &n); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if n.Kind != yaml.DocumentNode || n.Content[0].Kind != yaml.MappingNode {
		return fmt.Errorf("%s: is no mapping of keys", file)
	}
	var before, after any
	if err = errors.Join(n.Decode(&before), change(&document{n.Content[0]}), n.Decode(&after)); err != nil {
		return err
	}
	if reflect.DeepEqual(before, after) {
		return nil
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err = errors.Join(e.Encode(&n), e.Close()); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(file+".bak", data, info.Mode()), os.WriteFile(file, b.Bytes(), info.Mode())) //nolint:gosec // the user names the file
}

func write(dir string, files map[string][]byte) error {
	errs := []error{os.MkdirAll(dir, 0o755)} //nolint:gosec // the servers run as other users
	for _, name := range slices.Sorted(maps.Keys(files)) {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), files[name], 0o644)) //nolint:gosec // as above
	}
	return errors.Join(errs...)
}

// child returns the value of a key, which it makes of the kind where there is none, or null.
func child(parent *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	for i := 0; i < len(parent.Content); i += 2 {
		if parent.Content[i].Value == key {
			n := parent.Content[i+1]
			if n.Tag == "!!null" {
				*n = yaml.Node{Kind: kind}
			}
			return n
		}
	}
	n := &yaml.Node{Kind: kind}
	parent.Content = append(parent.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, n)
	return n
}

func (c *document) mapping(parent *yaml.Node, key string) *yaml.Node {
	return child(parent, key, yaml.MappingNode)
}

func (c *document) sequence(parent *yaml.Node, key string) *yaml.Node {
	n := child(parent, key, yaml.SequenceNode)
	n.Style = 0 // [] written out, one item a line
	return n
}

// value is that of a key of a mapping; "" where there is none.
func value(n *yaml.Node, key string) string {
	for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1].Value
		}
	}
	return ""
}

// addTo adds an item to a list, unless it is there.
func (c *document) addTo(key string, item any) error {
	list := c.sequence(c.root, key)
	var n yaml.Node
	if err := n.Encode(item); err != nil {
		return err
	}
	var want any
	if err := n.Decode(&want); err != nil {
		return err
	}
	for _, other := range list.Content {
		var have any
		if other.Decode(&have) == nil && reflect.DeepEqual(want, have) {
			return nil
		}
	}
	list.Content = append(list.Content, &n)
	return nil
}

// addMissing adds what a mapping lacks and returns the names.
func (c *document) addMissing(key string, values map[string]any) (added []string) {
	m := c.mapping(c.root, key)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if value(m, name) == "" {
			m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name},
				&yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(values[name])})
			added = append(added, name)
		}
	}
	return added
}

// addNamed adds the items of ours that a list does not have, by the name under a key. They come first:
// a route for everything may stand at the end.
func addNamed(list *yaml.Node, key string, items []map[string]any) error {
	var content []*yaml.Node
	for _, item := range items {
		name, _ := item[key].(string)
		if !strings.HasPrefix(name, prefix) || slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return value(n, key) == name }) {
			continue
		}
		var n yaml.Node
		if err := n.Encode(item); err != nil {
			return err
		}
		content = append(content, &n)
	}
	list.Content = append(content, list.Content...)
	return nil
}
