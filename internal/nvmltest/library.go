package nvmltest

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

//go:embed fake
var sources embed.FS

// objectEnv tells a child process of Isolate where its parent has put the compiled fake.
const objectEnv = "NVMLTEST_OBJECT"

// Library builds the fake and returns the path of a libnvidia-ml.so.1 in a directory of the
// test's. The symbols in missing, such as nvmlDeviceGetMemoryInfo_v2, are not exported, as in
// an older driver: go-nvml's binding ends the process when it calls one of them.
func Library(t testing.TB, missing ...string) string {
	t.Helper()
	dir := t.TempDir()
	object := os.Getenv(objectEnv)
	if object == "" {
		object = filepath.Join(dir, "fake.o")
		writeObject(t, object)
	}
	script := filepath.Join(dir, "exports")
	write(t, script, exports(missing))
	path := filepath.Join(dir, "libnvidia-ml.so.1")
	err := cc(t.Context(), "-shared", "-pthread", "-Wl,--version-script="+script, "-o", path, object)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// exports is a linker's version script.
func exports(missing []string) []byte {
	var b strings.Builder
	b.WriteString("{ global: nvml*; local: ")
	for _, name := range missing {
		b.WriteString(name + "; ")
	}
	b.WriteString("*; };\n")
	return []byte(b.String())
}

func writeObject(t testing.TB, path string) {
	t.Helper()
	compiled, err := object()
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, compiled)
}

// object compiles the fake once per process.
var object = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "nvmltest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	fake, err := fs.Sub(sources, "fake")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, fake); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.c"))
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	include, err := headers(ctx)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "fake.o")
	args := []string{"-r", "-nostdlib", "-fPIC", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror", "-I" + include, "-o", path}
	if err := cc(ctx, append(args, files...)...); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// headers is the directory of the nvml.h against which the binding is compiled, so that both
// sides mean the same structs.
func headers(ctx context.Context) (string, error) {
	const module = "github.com/NVIDIA/go-nvml"
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go list -m %s: %w\n%s", module, err, out)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "pkg", "nvml"), nil
}

// cc runs the C compiler; cgo needs one anyway.
func cc(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "cc", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("cc: %w\n%s", err, out)
	}
	return nil
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
