package procs

import (
	"os"
	"strings"
	"unicode/utf8"
)

// readContainers returns the containers of a folder of log links by id, at most
// limit of them. A folder that is not there has none.
func readContainers(dir string, limit int) map[string]Owner {
	if dir == "" {
		return nil
	}
	f, err := os.Open(dir) //nolint:gosec // G304: the operator's setting
	if err != nil {
		return nil
	}
	defer f.Close()
	// An error comes with what could be read.
	names, _ := f.Readdirnames(limit)
	containers := make(map[string]Owner, len(names))
	for _, name := range names {
		if id, owner, ok := parseLogLink(name); ok {
			containers[id] = owner
		}
	}
	return containers
}

// parseLogLink reads <pod>_<namespace>_<container>-<container id>.log, the name
// of the link that the kubelet makes for each container (legacyLogSymlink in
// pkg/kubelet/kuberuntime). It cuts names that are too long at their end, and
// such a one has no whole id. Names of Kubernetes have no underscore.
func parseLogLink(name string) (id string, owner Owner, ok bool) {
	name, ok = strings.CutSuffix(name, ".log")
	at := len(name) - containerIDLen
	if !ok || at < 1 || name[at-1] != '-' || !allHex(name[at:]) || !utf8.ValidString(name) {
		return "", Owner{}, false
	}
	parts := strings.Split(name[:at-1], "_")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return "", Owner{}, false
	}
	return name[at:], Owner{Namespace: parts[1], Pod: parts[0], Container: parts[2]}, true
}
