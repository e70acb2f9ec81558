package gpu

import (
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"

	"github.com/otelcol-inference/otelcol-inference/receiver/nvmlreceiver/internal/driver"
)

// reporter tells a person about changes of state, one line each, and the collector through
// component status. It belongs to the fleet's lock.
type reporter struct {
	log    *zap.Logger
	host   component.Host
	link   linkState
	ret    driver.Return
	gpus   map[string]gpuState
	status string // what was last told as component status; "" is OK
}

// linkState is the state of the tie to the driver.
type linkState int

const (
	linkUnknown linkState = iota
	linkConnected
	linkUnreachable
	linkHung // a call that is not of one GPU does not return
)

// gpuState is the state of one GPU as far as reading it goes.
type gpuState int

const (
	gpuFine gpuState = iota
	gpuHung
	gpuLost
	gpuNeedsReset
	gpuMissing
	gpuClosed
)

func stateOf(fault driver.Return) gpuState {
	switch fault {
	case driver.GPULost:
		return gpuLost
	case driver.ResetRequired:
		return gpuNeedsReset
	default:
		return gpuFine
	}
}

// closedState is the state of a GPU that was there before, by why it could not be opened; Success
// where there is no GPU at its index.
func closedState(ret driver.Return) gpuState {
	switch {
	case ret == driver.Success:
		return gpuMissing
	case ret.Lost():
		return stateOf(ret)
	default:
		return gpuClosed
	}
}

// connected is told each time that the driver is reached.
func (r *reporter) connected(v driver.Versions) {
	if r.link != linkConnected {
		r.log.Info("GPU driver connected", zap.String("hw.driver_version", v.Driver),
			zap.String("nvml_version", v.NVML), zap.String("nvidia.cuda.version", v.CUDA))
	}
	r.link, r.ret = linkConnected, driver.Success
	r.tellStatus()
}

func (r *reporter) unreachable(ret driver.Return) {
	if r.link == linkUnreachable && r.ret == ret {
		return
	}
	r.link, r.ret = linkUnreachable, ret
	message := "GPUs are not read: " + ret.String() + ". " + cure(ret) + " It is tried again, at the latest every " + lastRetry.String() + "."
	if normal(ret) {
		r.log.Info(message)
	} else {
		r.log.Warn(message)
	}
	r.tellStatus()
}

func (r *reporter) hung(call string) {
	if r.link != linkHung {
		r.log.Warn("The GPU driver does not return from " + call + ". GPUs that still answer are read. " +
			"Look for Xid messages of the kernel (dmesg); such a driver often needs a reboot.")
	}
	r.link = linkHung
	r.tellStatus()
}

func (r *reporter) gpu(uuid, name string, now gpuState) {
	if r.gpus == nil {
		r.gpus = map[string]gpuState{}
	}
	if r.gpus[uuid] == now {
		return
	}
	r.gpus[uuid] = now
	about := []zap.Field{zap.String("hw.id", uuid), zap.String("hw.name", name)}
	switch now {
	case gpuFine:
		r.log.Info("GPU answers again", about...)
	case gpuHung:
		r.log.Warn("GPU does not answer within the timeout of a scrape; it is degraded and is not asked again before it has. "+
			"If it stays so, look for Xid messages of the kernel (dmesg).", about...)
	case gpuLost:
		r.log.Error("GPU is lost: it fell off the bus or cannot be reached (GPU_IS_LOST). Drain the node and reboot it; "+
			"if it comes again, check power, cooling and the slot, then replace the GPU.", about...)
	case gpuNeedsReset:
		r.log.Error("GPU must be reset before it works again (RESET_REQUIRED): nvidia-smi --gpu-reset, or reboot the node.", about...)
	case gpuClosed:
		r.log.Warn("GPU can no longer be opened; it is degraded. The reason is in the line about its index.", about...)
	case gpuMissing:
		r.log.Error("GPU is gone: the driver no longer shows it. If it was not taken away on purpose, drain the node and reboot it. "+
			"It stays failed until it is back or the collector restarts.", about...)
	}
	r.tellStatus()
}

// unsupported tells once what a GPU does not have.
func (r *reporter) unsupported(uuid, name string, calls []string) {
	if len(calls) > 0 {
		r.log.Info("GPU does not tell everything; the metrics of these calls are absent: "+strings.Join(calls, ", "),
			zap.String("hw.id", uuid), zap.String("hw.name", name))
	}
}

// tellStatus reports component status when it changes.
func (r *reporter) tellStatus() {
	var problems []string
	if r.link == linkUnreachable && !normal(r.ret) {
		problems = append(problems, "GPU driver: "+r.ret.String())
	}
	if r.link == linkHung {
		problems = append(problems, "GPU driver does not return from a call")
	}
	bad := 0
	for _, state := range r.gpus {
		if state != gpuFine {
			bad++
		}
	}
	if bad > 0 {
		problems = append(problems, fmt.Sprintf("%d GPUs lost or not answering", bad))
	}
	status := strings.Join(problems, "; ")
	if status == r.status || r.host == nil {
		return
	}
	r.status = status
	if status == "" {
		componentstatus.ReportStatus(r.host, componentstatus.NewEvent(componentstatus.StatusOK))
		return
	}
	componentstatus.ReportStatus(r.host, componentstatus.NewRecoverableErrorEvent(errors.New(status)))
}

// normal are answers on a node that has no GPU.
func normal(ret driver.Return) bool {
	return ret == driver.LibraryNotFound || ret == driver.BuiltWithoutSupport
}

// cure says what to do about an answer.
func cure(ret driver.Return) string {
	switch ret {
	case driver.LibraryNotFound:
		return "There is no libnvidia-ml.so.1 here, or no file at library_path, which is right on a node without a GPU. On a node with one: install the driver; " +
			"in a container, start it with --gpus all and NVIDIA_DRIVER_CAPABILITIES=utility, or runtimeClassName: nvidia."
	case driver.BuiltWithoutSupport:
		return "This binary was built without cgo or not for Linux; use the released one."
	case driver.LibraryUnusable:
		return "The file cannot be loaded, or exports no nvmlInit; is it of another architecture, or a stub of the CUDA toolkit? Mount the one of the driver, or set library_path."
	case driver.OtherLibraryInUse:
		return "This process has loaded another library_path and keeps it to its end: use one path for all nvml receivers, and restart the collector after a change."
	case driver.DriverNotLoaded:
		return "The library is there but the kernel module is not loaded: check nvidia-smi on the host, and the driver's installation."
	case driver.LibraryMismatch:
		return "The library and the kernel module are of different versions, as after an upgrade: reload the module or reboot, then restart the collector."
	case driver.NoPermission:
		return "This process may not open the device: check the permissions of /dev/nvidia*."
	case driver.OperatingSystem, driver.Unknown:
		return "The container may have lost its devices (systemd daemon-reload on a node with cgroup v2): restart it; " +
			"pass the devices with --device or use CDI to prevent it."
	case driver.Timeout:
		return "The driver does not return from a call: look for Xid messages of the kernel (dmesg)."
	case driver.GPULost, driver.ResetRequired:
		return "Reset the GPU or reboot the node."
	default:
		return "Check nvidia-smi on the host."
	}
}
