//go:build linux && cgo

package gonvml

import (
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxa100"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxb200"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxh100"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/dgxh200"
	"github.com/NVIDIA/go-nvml/pkg/nvml/mock/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// The servers that the binding's authors describe can be enumerated.
func TestServers(t *testing.T) {
	for name, tt := range map[string]struct {
		server       *server.Server
		architecture string
		versions     driver.Versions
	}{
		"A100": {dgxa100.New(), "ampere", driver.Versions{Driver: "550.54.15", NVML: "12.550.54.15", CUDA: "12.4"}},
		"H100": {dgxh100.New(), "hopper", driver.Versions{Driver: "550.54.15", NVML: "12.550.54.15", CUDA: "12.4"}},
		"H200": {dgxh200.New(), "hopper", driver.Versions{Driver: "550.54.15", NVML: "12.550.54.15", CUDA: "12.4"}},
		"B200": {dgxb200.New(), "blackwell", driver.Versions{Driver: "560.28.03", NVML: "12.560.28.03", CUDA: "12.6"}},
	} {
		t.Run(name, func(t *testing.T) {
			fill(&tt.server.Interface)
			for i, d := range tt.server.Devices {
				gpu := d.(*server.Device)
				fill(&gpu.Device)
				gpu.MigMode = i % 2
			}
			lib := started(t, tt.server)
			assert.Equal(t, tt.versions, lib.Versions())
			count, ret := lib.DeviceCount()
			require.Equal(t, driver.Success, ret)
			require.Equal(t, 8, count)
			seen := map[string]bool{}
			for i := range count {
				device, ret := lib.Device(i)
				require.Equal(t, driver.Success, ret)
				identity := device.Identity()
				assert.Contains(t, identity.Name, name)
				assert.Equal(t, tt.architecture, identity.Architecture)
				uuid, ret := device.UUID()
				assert.Equal(t, driver.Success, ret)
				assert.Regexp(t, "^GPU-[0-9a-f-]{36}$", uuid)
				seen[uuid] = true
				memory, ret := device.Memory()
				assert.Equal(t, driver.Success, ret)
				assert.Greater(t, memory.Total, uint64(39)<<30)
				assert.False(t, memory.HasReserved)
				on, ret := device.MIGMode()
				assert.Equal(t, driver.Success, ret)
				assert.Equal(t, i%2 == 1, on)
				_, ret = device.Temperature()
				assert.Equal(t, driver.NotSupported, ret)
				_, ret = device.FabricState()
				assert.Equal(t, driver.NotSupported, ret)
			}
			assert.Len(t, seen, 8)
			_, ret = lib.Device(8)
			assert.Equal(t, driver.InvalidArgument, ret)
		})
	}
}
