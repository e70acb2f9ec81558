//go:build linux && cgo

package gonvml

import (
	"github.com/NVIDIA/go-nvml/pkg/dl"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// preflight opens the library beside the binding and looks whether it can be initialised,
// as the binding does not look and would end the process. It stays open until done is
// called, so that the binding need not load it again. Its symbols are kept local: a file
// that is no NVML must leave no trace.
func preflight(path string) (done func(), ret driver.Return) {
	file := dl.New(path, dl.RTLD_LAZY|dl.RTLD_LOCAL)
	if err := file.Open(); err != nil {
		return nil, driver.LibraryNotFound
	}
	done = func() { _ = file.Close() }
	if file.Lookup(symbolNames[symInitV2]) != nil && file.Lookup(symbolNames[symInit]) != nil {
		done()
		return nil, driver.LibraryUnusable
	}
	return done, driver.Success
}
