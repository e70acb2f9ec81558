package instrument

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	docs     = "../../docs/"
	examples = docs + "instrument/"
)

// shown is a line that names a file of an example, and the block after it.
var shown = regexp.MustCompile("(?s)\n\\[`([^`]+)`\\]\\(instrument/([^)]+)\\):\n\n```[a-z]+\n(.*?)```\n")

// Scenario: an example or the page that shows it changed.
// Guarantees: the page shows the very files, and one of each language.
func TestPageShowsTheFiles(t *testing.T) {
	page := read(t, docs+"instrument.md")
	languages := map[string]bool{}
	for _, block := range shown.FindAllStringSubmatch(page, -1) {
		name, target, code := block[1], block[2], block[3]
		assert.Equal(t, target, name)
		assert.Equal(t, read(t, examples+target), code, name)
		languages[filepath.Ext(target)] = true
	}
	for _, ext := range []string{".go", ".ts", ".py", ".java"} {
		assert.True(t, languages[ext], "no example ends in %s", ext)
	}
}

// Scenario: the Python example is given to the interpreter of this machine.
// Guarantees: it is Python. What it imports need not be installed.
func TestPythonCompiles(t *testing.T) {
	compile(t, "python3", "-X", "pycache_prefix="+t.TempDir(), "-m", "py_compile", examples+"python/service.py")
}

// Scenario: the Java example is given to the compiler of this machine, which stops after parsing.
// Guarantees: it is Java. What it imports need not be there.
func TestJavaParses(t *testing.T) {
	compile(t, "javac", "-proc:none", "-XDshould-stop.ifNoError=PARSE", "-d", t.TempDir(),
		examples+"java/src/main/java/example/Service.java")
}

func compile(t *testing.T, name string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skip(name + " is missing")
	}
	run(t, name, args...)
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}
