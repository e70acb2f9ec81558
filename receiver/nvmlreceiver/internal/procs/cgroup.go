package procs

import "strings"

const (
	containerIDLen = 64 // of Docker, containerd, CRI-O and Podman
	hashLen        = 32 // of an ECS task's container, and of a static pod's uid
)

// parseCgroup returns the container and the pod that the text of
// /proc/<pid>/cgroup names; each may be empty. A static pod's uid is the hash
// of its manifest, 32 digits without dashes, as the kubelet has it.
//
// The text has one line for each hierarchy, "id:controllers:path", of which
// version 2 has just one (cgroups(7)). A line that names both wins over one
// that names one of them.
func parseCgroup(text string) (containerID, podUID string) {
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(line, ":")
		_, path, ok := strings.Cut(rest, ":")
		if !ok {
			continue
		}
		container, pod := parseCgroupPath(strings.TrimSpace(path))
		if container != "" && pod != "" {
			return container, pod
		}
		if containerID == "" && podUID == "" {
			containerID, podUID = container, pod
		}
	}
	return containerID, podUID
}

// parseCgroupPath reads a path from its end, where the innermost container is
// if containers are nested.
func parseCgroupPath(path string) (containerID, podUID string) {
	// What the kernel writes of a group that was removed.
	path = strings.TrimSuffix(path, " (deleted)")
	// containerd joins slice, prefix and id by colons if it is told to use
	// systemd and runs without it.
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == ':' })
	for i := len(parts) - 1; i >= 0 && podUID == ""; i-- {
		podUID = podOf(parts[i])
		if containerID == "" && podUID == "" {
			parent := ""
			if i > 0 {
				parent = parts[i-1]
			}
			containerID = containerOf(parts[i], parent)
		}
	}
	return containerID, podUID
}

// containerOf returns the container id in one part of a path: <id>, or
// <runtime>-<id>.scope where systemd manages groups.
func containerOf(part, parent string) string {
	if parent == "garden" && isGarden(part) {
		return part
	}
	part = strings.TrimSuffix(part, ".scope")
	if id, number, ok := strings.Cut(part, "-"); ok && len(id) == hashLen && allHex(id) && isNumber(number) {
		return part // ECS: its parent is the task's id
	}
	at := len(part) - containerIDLen
	if at < 0 || !allHex(part[at:]) {
		return ""
	}
	// The runtime's monitor is not in the container.
	if runtime := part[:at]; runtime != "" && (!strings.HasSuffix(runtime, "-") || strings.HasSuffix(runtime, "conmon-")) {
		return ""
	}
	return part[at:]
}

// podOf returns the pod's uid in one part of a path: pod<uid>, or
// kubepods-burstable-pod<uid>.slice with underscores where systemd manages
// groups, as dashes nest slices.
func podOf(part string) string {
	part = strings.TrimSuffix(part, ".slice")
	uid, ok := strings.CutPrefix(part, "pod")
	if !ok {
		at := strings.LastIndex(part, "-pod")
		if at < 0 {
			return ""
		}
		uid = part[at+len("-pod"):]
	}
	uid = strings.ReplaceAll(uid, "_", "-")
	if isUUID(uid) || len(uid) == hashLen && allHex(uid) {
		return uid
	}
	return ""
}

// isGarden reports whether s is a handle of Cloud Foundry's Garden: a UUID, or
// the same with a last group of four digits.
func isGarden(s string) bool {
	const short = uuidLen - 8
	return isUUID(s) || len(s) == short && isUUID(s+"00000000")
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return s != ""
}

func isNumber(s string) bool { return numbered(s, "") }
