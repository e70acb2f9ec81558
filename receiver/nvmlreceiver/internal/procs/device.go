package procs

import (
	"strconv"
	"strings"
)

const uuidLen = 36

// Device is a GPU or a MIG instance of one.
type Device struct {
	// UUID is what NVML calls it: GPU-<uuid> or MIG-<uuid>.
	UUID string
	// Minor is the n of /dev/nvidia<n>, for a MIG instance of its parent, and
	// -1 if not known. GKE names devices by it.
	Minor int
	// GPUInstance is the id of the GPU instance, -1 for a whole GPU.
	GPUInstance int
}

// keys returns the device's name by UUID and by device file; either may be
// empty.
func (d Device) keys() [2]string {
	var keys [2]string
	keys[0], _ = deviceKey(d.UUID)
	if d.Minor >= 0 {
		keys[1] = "nvidia" + strconv.Itoa(d.Minor)
		if d.GPUInstance >= 0 {
			keys[1] += "/gi" + strconv.Itoa(d.GPUInstance)
		}
	}
	return keys
}

// deviceKey returns the name of the device behind a device id that the kubelet
// tells, without the number of the replica where several share it. It reports
// false for what is no device of NVIDIA's, or does not say which one it is.
//
// The shape decides, not the resource's name, since vendors rename resources:
//
//	GPU-<uuid>, MIG-<uuid>                 NVIDIA's device plugin
//	MIG-GPU-<uuid>/<gi>/<ci>               the same, drivers before R470
//	GPU-<uuid>::<n>, MIG-<uuid>::<n>       the same, time slicing and MPS
//	GPU-<uuid>-<n>, GPU-<uuid>-_-<n>       other plugins that share GPUs
//	nvidia<n>, nvidia<n>/gi<n>             GKE's device plugin
//	nvidia<n>/vgpu<n>, nvidia<n>/gi<n>/vgpu<n>   the same, shared
//	MIG::<n>                               EKS; names no device
func deviceKey(id string) (string, bool) {
	if strings.HasPrefix(id, "nvidia") {
		return fileKey(id)
	}
	prefix := "GPU-"
	if strings.HasPrefix(id, "MIG-") {
		prefix = "MIG-"
	}
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok {
		return "", false
	}
	// A UUID has a fixed length: whatever follows tells the replica.
	if len(rest) >= uuidLen && isUUID(rest[:uuidLen]) {
		return prefix + rest[:uuidLen], true
	}
	rest, _, _ = strings.Cut(rest, "::")
	return prefix + rest, rest != ""
}

// fileKey is deviceKey for names by device file.
func fileKey(id string) (string, bool) {
	id, _, _ = strings.Cut(id, "::")
	parts := strings.Split(id, "/")
	if !numbered(parts[0], "nvidia") {
		return "", false
	}
	key, parts := parts[0], parts[1:]
	if len(parts) > 0 && numbered(parts[0], "gi") {
		key, parts = key+"/"+parts[0], parts[1:]
	}
	if len(parts) > 0 && numbered(parts[0], "vgpu") {
		parts = parts[1:]
	}
	return key, len(parts) == 0
}

// numbered reports whether s is prefix and a number.
func numbered(s, prefix string) bool {
	digits, ok := strings.CutPrefix(s, prefix)
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}

// isUUID reports whether s is a UUID with dashes, in either case.
func isUUID(s string) bool {
	if len(s) != uuidLen {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(s[i]) {
				return false
			}
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
