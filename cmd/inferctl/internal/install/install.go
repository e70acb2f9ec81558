// Package install writes rules and routes into the configurations of a Prometheus and an
// Alertmanager that somebody already runs. It adds what is called inference where that is missing, and
// leaves all else, comments among it, as it was. Doing it again changes nothing but rules and templates.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"io"
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

// Change is what is to be written of one server: nothing is before all has been looked at.
type Change struct {
	// Dir is the folder of our files, beside the configuration.
	Dir string
	// Added are the global settings that are new, and need values of the user's own.
	Added []string

	files     map[string][]byte
	config    string
	was, will []byte // of the configuration; nil: it stays
}

// Write writes our files, and then the configuration; as it was it is beside it, as .bak.
func (c *Change) Write() error {
	if err := os.MkdirAll(c.Dir, 0o755); err != nil { //nolint:gosec // the servers run as other users
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if err := os.WriteFile(filepath.Join(c.Dir, name), c.files[name], 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	if c.will == nil {
		return nil
	}
	info, err := os.Stat(c.config)
	if err != nil {
		return err
	}
	if err = os.WriteFile(c.config+".bak", c.was, info.Mode()); err != nil {
		return err
	}
	return os.WriteFile(c.config, c.will, info.Mode())
}

// Prometheus puts rule files beside a prometheus.yml and names them in it.
func Prometheus(config string, files map[string][]byte) (*Change, error) {
	c := &Change{Dir: filepath.Join(filepath.Dir(config), folder), files: files, config: config}
	// Names in a configuration count from its own folder.
	err := c.edit(func(d *document) error { return d.addTo("rule_files", folder+"/*.rules.yml") })
	return c, err
}

// Alertmanager puts templates beside an alertmanager.yml, and what the shipped folder's alertmanager.yml
// says of routes, inhibition and receivers into it. Global settings that are missing are added.
func Alertmanager(config, shipped string) (*Change, error) {
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
	c := &Change{Dir: filepath.Join(filepath.Dir(config), folder), files: templates, config: config}
	err = c.edit(func(d *document) (err error) {
		c.Added, err = d.addMissing("global", ours.Global)
		errs := []error{err, d.addTo("templates", folder+"/*.tmpl")}
		for _, r := range ours.InhibitRules {
			errs = append(errs, d.addTo("inhibit_rules", r))
		}
		errs = append(errs, addNamed(d.root, "receivers", "name", ours.Receivers))
		route, err := d.mapping("route")
		if err == nil {
			err = addNamed(route, "routes", "receiver", ours.Route.Routes)
		}
		return errors.Join(append(errs, err)...)
	})
	return c, err
}

type routes struct {
	Routes []map[string]any `yaml:"routes"`
}

// document is a YAML file whose comments and order are kept.
type document struct{ root *yaml.Node }

// edit reads the configuration and changes it.
func (c *Change) edit(change func(*document) error) error {
	if err := c.tryEdit(change); err != nil {
		return fmt.Errorf("%s: %w", c.config, err)
	}
	return nil
}

func (c *Change) tryEdit(change func(*document) error) error {
	data, err := os.ReadFile(c.config)
	if err != nil {
		return err
	}
	var n, more yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err = decoder.Decode(&n); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err == nil && !errors.Is(decoder.Decode(&more), io.EOF) {
		return errors.New("has more than one document, of which the server reads the first: take the others out")
	}
	if n.Kind != yaml.DocumentNode || n.Content[0].Kind != yaml.MappingNode {
		return errors.New("has no keys: is it the right file?")
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
	c.was, c.will = data, b.Bytes()
	return nil
}

// kinds are what a value is called in a message.
var kinds = map[yaml.Kind]string{yaml.SequenceNode: "list", yaml.MappingNode: "mapping of keys"}

// child returns the value of a key, which it makes of the kind where there is none, or null.
func child(parent *yaml.Node, key string, kind yaml.Kind) (*yaml.Node, error) {
	for i := 0; i < len(parent.Content); i += 2 {
		if parent.Content[i].Value != key {
			continue
		}
		n := parent.Content[i+1]
		if n.Tag == "!!null" {
			*n = yaml.Node{Kind: kind}
		}
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		if n.Kind != kind {
			return nil, fmt.Errorf("line %d: %s is no %s", n.Line, key, kinds[kind])
		}
		return n, nil
	}
	n := &yaml.Node{Kind: kind}
	parent.Content = append(parent.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, n)
	return n, nil
}

func (c *document) mapping(key string) (*yaml.Node, error) {
	return child(c.root, key, yaml.MappingNode)
}

func sequence(parent *yaml.Node, key string) (*yaml.Node, error) {
	n, err := child(parent, key, yaml.SequenceNode)
	if err == nil {
		n.Style = 0 // [] written out, one item a line
	}
	return n, err
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
	list, err := sequence(c.root, key)
	if err != nil {
		return err
	}
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
func (c *document) addMissing(key string, values map[string]any) (added []string, err error) {
	m, err := c.mapping(key)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if value(m, name) == "" {
			m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name},
				&yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(values[name])})
			added = append(added, name)
		}
	}
	return added, nil
}

// addNamed adds the items of ours that the list under a name does not have, by what is under a key of
// theirs. They come first: a route for everything may stand at the end.
func addNamed(parent *yaml.Node, name, key string, items []map[string]any) error {
	list, err := sequence(parent, name)
	if err != nil {
		return err
	}
	var content []*yaml.Node
	for _, item := range items {
		own, _ := item[key].(string)
		if !strings.HasPrefix(own, prefix) || slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return value(n, key) == own }) {
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
