package nvmltest

import (
	"os"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Load reads a scenario from a YAML file.
func Load(t testing.TB, path string) Scenario {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var s Scenario
	decoder := yaml.NewDecoder(f)
	decoder.KnownFields(true)
	if err := decoder.Decode(&s); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

// UnmarshalYAML takes one code for all times as well.
func (i *Init) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*i = Init{{Ret: node.Value}}
		return nil
	}
	return node.Decode((*[]InitStep)(i))
}

// UnmarshalYAML takes true as well.
func (s *Swap) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Tag == "!!bool" {
		var yes bool
		if err := node.Decode(&yes); err != nil || !yes {
			return err
		}
		*s = Swap{0, 1}
		return nil
	}
	return node.Decode((*[]int)(s))
}
