package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"go.yaml.in/yaml/v3"
)

// packages returns the folders of the packages that the distribution is built of.
func packages(root string) ([]string, error) {
	data, err := os.ReadFile(root + "/builder-config.yaml") //nolint:gosec // of the repository
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Dist struct {
			BuildTags string `yaml:"build_tags"`
		}
	}
	if err = yaml.Unmarshal(data, &manifest); err != nil {
		return nil, err
	}
	cmd := exec.Command("go", "list", "-deps", "-tags", manifest.Dist.BuildTags, "-f", "{{.Dir}}", ".") //nolint:gosec // tags of the repository
	cmd.Dir = root + "/distribution/otelcol-inference"
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list in %s: %w: %s", cmd.Dir, err, stderr.String())
	}
	return strings.Fields(string(out)), nil
}
