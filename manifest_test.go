package manifest_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

const (
	manifestFile    = "builder-config.yaml"
	distributionDir = "distribution/otelcol-inference"
	ownModule       = "github.com/otelcol-inference/otelcol-inference"
	coreModule      = "go.opentelemetry.io/collector/"
	contribModule   = "github.com/open-telemetry/opentelemetry-collector-contrib/"

	// ocb adds this one by itself where the manifest names no telemetry.
	defaultTelemetry = "go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

// TestManifestMatchesDistribution protects from a distribution that is not the
// one its manifest promises. The generated files are committed, and nothing in
// a build reads the manifest again: a component that is added to the manifest
// without `make generate`, or removed by hand from components.go, would be
// noticed by the first user who configures it.
func TestManifestMatchesDistribution(t *testing.T) {
	manifest := readManifest(t)
	generated := generatedComponents(t)
	required := readGoMod(t, distributionDir).versions()

	for _, c := range manifest.components {
		gomod, found := generated[c.importPath]
		if !assert.True(t, found, "%s is in %s but not in %s: run `make generate` and commit the result",
			c.importPath, manifestFile, distributionDir) {
			continue
		}
		assert.Equal(t, c.gomod(), gomod, "the binary would report another version of %s than %s asks for: run `make generate`",
			c.importPath, manifestFile)
		assert.Equal(t, c.version, required[c.module],
			"%s/go.mod has resolved another version of %s: run `make generate`; if that does not help, "+
				"another component needs this version, so move all versions in %s together",
			distributionDir, c.module, manifestFile)
		delete(generated, c.importPath)
	}
	delete(generated, defaultTelemetry)
	assert.Empty(t, generated, "%s has components that %s does not list: add them there, or run `make generate`",
		distributionDir, manifestFile)
}

// TestOneCollectorVersion protects from a half upgrade: components that are
// compiled and tested against another collector than the one they ship in, or
// code that a tool of another release has generated. ocb looks only at the
// modules of the manifest, and go.mod files move one by one.
func TestOneCollectorVersion(t *testing.T) {
	manifest := readManifest(t)
	stable, unstable := manifest.pins(t)

	root := readGoMod(t, ".")
	for module, version := range root.versions() {
		if strings.HasPrefix(module, coreModule) || strings.HasPrefix(module, contribModule) {
			assert.Contains(t, []string{stable, unstable}, version,
				"go.mod requires %s %s, but %s is at %s and %s: run `go get %s@<that version>`, then `make tidy`",
				module, version, manifestFile, stable, unstable, module)
		}
	}

	tools := readGoMod(t, "internal/tools").versions()
	for _, tool := range []string{coreModule + "cmd/builder", coreModule + "cmd/mdatagen"} {
		assert.Equal(t, unstable, tools[tool],
			"internal/tools/go.mod pins another release of %s than %s: set it there, run `make tidy generate`",
			path.Base(tool), manifestFile)
	}
}

// TestBuildTagsMatchManifest protects from a binary that is 100 MB larger and
// holds the service discoveries of every cloud: ocb only generates here, so the
// build tags of the manifest take effect nowhere but in the Makefile's copy.
func TestBuildTagsMatchManifest(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	match := regexp.MustCompile(`(?m)^BUILD_TAGS := (\S+)$`).FindSubmatch(makefile)
	require.NotNil(t, match, "the Makefile has no line `BUILD_TAGS := ...`")
	assert.Equal(t, readManifest(t).buildTags, string(match[1]),
		"give BUILD_TAGS in the Makefile the value of dist.build_tags in %s", manifestFile)
}

// component is one entry of the manifest.
type component struct {
	module, version, importPath string
}

func (c component) gomod() string { return c.module + " " + c.version }

type manifest struct {
	components []component
	buildTags  string
}

// readManifest collects the entries of every section that lists components,
// whatever its name, so that a section which is new here is not overlooked.
func readManifest(t *testing.T) manifest {
	t.Helper()
	conf, err := confmaptest.LoadConf(manifestFile)
	require.NoError(t, err)

	var dist struct {
		BuildTags string `mapstructure:"build_tags"`
	}
	section, err := conf.Sub("dist")
	require.NoError(t, err)
	require.NoError(t, section.Unmarshal(&dist, confmap.WithIgnoreUnused()))

	m := manifest{buildTags: dist.BuildTags}
	for name, section := range conf.ToStringMap() {
		entries, ok := section.([]any)
		if !ok || name == "replaces" || name == "excludes" {
			continue
		}
		for _, entry := range entries {
			m.components = append(m.components, newComponent(t, name, entry))
		}
	}
	require.NotEmpty(t, m.components, "%s lists no components", manifestFile)
	return m
}

func newComponent(t *testing.T, section string, entry any) component {
	t.Helper()
	fields, ok := entry.(map[string]any)
	require.True(t, ok, "%s: an entry of %s is no map: %v", manifestFile, section, entry)
	gomod, _ := fields["gomod"].(string)
	module, version, ok := strings.Cut(gomod, " ")
	require.True(t, ok, "%s: an entry of %s needs `gomod: <module> <version>`, not %q", manifestFile, section, gomod)
	importPath, ok := fields["import"].(string)
	if !ok {
		importPath = module
	}
	return component{module: module, version: version, importPath: importPath}
}

// pins returns the collector's two version lines, v1.x and v0.x, and fails if
// the manifest mixes several of one kind.
func (m manifest) pins(t *testing.T) (stable, unstable string) {
	t.Helper()
	var versions []string
	for _, c := range m.components {
		if c.module != ownModule {
			versions = append(versions, c.version)
		}
	}
	slices.Sort(versions)
	versions = slices.Compact(versions)
	require.Len(t, versions, 2, "%s must pin one v0 and one v1 release of the collector, not %v", manifestFile, versions)
	require.True(t, strings.HasPrefix(versions[0], "v0.") && strings.HasPrefix(versions[1], "v1."),
		"%s must pin one v0 and one v1 release of the collector, not %v", manifestFile, versions)
	return versions[1], versions[0]
}

// generatedComponents returns, for the import path of each component that the
// generated code registers, the module and version that it reports.
func generatedComponents(t *testing.T) map[string]string {
	t.Helper()
	components := map[string]string{}
	for _, file := range []string{"components.go", "main.go"} {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(distributionDir, file), nil, parser.SkipObjectResolution)
		require.NoError(t, err, "run `make generate`")

		// ocb gives a name to the import of every component, and to no other.
		byName := map[string]string{}
		for _, spec := range parsed.Imports {
			if spec.Name != nil {
				importPath := unquote(t, spec.Path)
				byName[spec.Name.Name] = importPath
				components[importPath] = ""
			}
		}
		// Map entries: <name>.NewFactory()...: "<module> <version>".
		ast.Inspect(parsed, func(n ast.Node) bool {
			entry, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			if gomod, ok := entry.Value.(*ast.BasicLit); ok {
				if importPath, ok := byName[leftmostName(entry.Key)]; ok {
					components[importPath] = unquote(t, gomod)
				}
			}
			return true
		})
	}
	return components
}

// leftmostName returns "a" for a.B().C(), and "" where there is no such name.
func leftmostName(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.CallExpr:
		return leftmostName(e.Fun)
	case *ast.SelectorExpr:
		return leftmostName(e.X)
	case *ast.Ident:
		return e.Name
	default:
		return ""
	}
}

func unquote(t *testing.T, literal *ast.BasicLit) string {
	t.Helper()
	s, err := strconv.Unquote(literal.Value)
	require.NoError(t, err)
	return s
}

// goMod is what `go mod edit -json` prints.
type goMod struct {
	Require []struct{ Path, Version string }
}

func (g goMod) versions() map[string]string {
	versions := make(map[string]string, len(g.Require))
	for _, r := range g.Require {
		versions[r.Path] = r.Version
	}
	return versions
}

// readGoMod leaves the parsing to the go command, which costs no dependency.
func readGoMod(t *testing.T, dir string) goMod {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "-C", dir, "mod", "edit", "-json").Output()
	require.NoError(t, err, "%s/go.mod cannot be read", dir)
	var parsed goMod
	require.NoError(t, json.Unmarshal(out, &parsed))
	return parsed
}
