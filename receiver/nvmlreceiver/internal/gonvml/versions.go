//go:build linux && cgo

package gonvml

import (
	"strconv"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// readVersions runs within initialise, before the gate is open. CUDA's version is asked by
// the old function: nvmlSystemGetCudaDriverVersion_v2 answers only where libcuda is
// installed, which a container that may only monitor lacks.
func (c *core) readVersions() {
	c.versions.Store(&driver.Versions{
		Driver: c.version(symDriverVersion, c.api.SystemGetDriverVersion),
		NVML:   c.version(symNVMLVersion, c.api.SystemGetNVMLVersion),
		CUDA: c.version(symCUDAVersion, func() (string, nvml.Return) {
			v, ret := c.api.SystemGetCudaDriverVersion()
			return cudaVersion(v), ret
		}),
	})
}

func (c *core) version(s symbol, read func() (string, nvml.Return)) (version string) {
	if !c.exported[s] {
		return ""
	}
	var ret driver.Return
	defer caught(&ret)
	version, code := read()
	if code != nvml.SUCCESS {
		return ""
	}
	return clean(version)
}

// cudaVersion writes 13010 as 13.1.
func cudaVersion(v int) string {
	if v <= 0 {
		return ""
	}
	return strconv.Itoa(v/1000) + "." + strconv.Itoa(v%1000/10)
}
