//go:build linux && cgo

package gonvml

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/NVIDIA/go-nvml/pkg/dl"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// preflight opens the library beside the binding and looks whether it can be initialised,
// as the binding does not look and would end the process. It stays open until done is
// called, so that the binding need not load it again. Its symbols are kept local: a file
// that is no NVML must leave no trace.
func preflight(path string) (done func(), ret driver.Return) {
	if filepath.IsAbs(path) {
		// Opening what is no file may block, and nearly all of the process with it.
		//nolint:gosec // the path is the configuration's
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil, driver.LibraryUnusable
		}
	}
	file := dl.New(path, dl.RTLD_LAZY|dl.RTLD_LOCAL)
	if err := file.Open(); err != nil {
		// A file that is there but is not loaded is no machine without a GPU.
		if strings.Contains(err.Error(), path+": cannot open shared object file: No such file") {
			return nil, driver.LibraryNotFound
		}
		return nil, driver.LibraryUnusable
	}
	done = func() { _ = file.Close() }
	if file.Lookup(symbolNames[symInitV2]) != nil && file.Lookup(symbolNames[symInit]) != nil {
		done()
		return nil, driver.LibraryUnusable
	}
	return done, driver.Success
}
