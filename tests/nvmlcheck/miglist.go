package main

import (
	"regexp"
	"strconv"
	"strings"
)

// migList is what nvidia-smi -L tells of the MIG devices of each GPU, by the GPU's UUID and
// the number of the MIG device.
type migList map[string]map[int]migIdentity

// migIdentity is the name of a MIG device.
type migIdentity struct{ uuid, profile string }

// Lines of nvidia-smi -L:
//
//	GPU 0: NVIDIA H200 (UUID: GPU-...)
//	  MIG 1g.18gb     Device  0: (UUID: MIG-...)
var (
	gpuLine = regexp.MustCompile(`^GPU \d+: .*\(UUID: (GPU-[^)]+)\)`)
	migLine = regexp.MustCompile(`^\s+MIG (\S+)\s+Device\s+(\d+): \(UUID: (MIG-[^)]+)\)`)
)

func parseMIGList(text string) migList {
	list := migList{}
	gpu := ""
	for line := range strings.Lines(text) {
		if m := gpuLine.FindStringSubmatch(line); m != nil {
			gpu = m[1]
			list[gpu] = map[int]migIdentity{}
		}
		if m := migLine.FindStringSubmatch(line); m != nil && gpu != "" {
			n, _ := strconv.Atoi(m[2])
			list[gpu][n] = migIdentity{uuid: m[3], profile: m[1]}
		}
	}
	return list
}
