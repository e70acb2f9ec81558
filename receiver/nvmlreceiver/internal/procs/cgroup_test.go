package procs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	id1    = "34dc0b5e626f2c5c4c5170e34b10e7654ce36f0fcd532739f4445baabea03376"
	id2    = "4f797c539e6c745de61a93ca3ff892358ecbcaccd8414d5db545c38428142970"
	uid    = "74c13223-5a00-11e9-b385-42010a80018d"
	uidBar = "74c13223_5a00_11e9_b385_42010a80018d"
	hash   = "0123456789abcdef0123456789abcdef"
)

func TestParseCgroup(t *testing.T) {
	for name, tt := range map[string]struct{ text, container, pod string }{
		"host, v2":            {text: "0::/user.slice/user-1000.slice/session-3.scope\n"},
		"host, v1":            {text: "12:devices:/\n1:name=systemd:/init.scope\n0::/init.scope\n"},
		"docker, v1":          {"11:devices:/docker/" + id1 + "\n0::/system.slice/containerd.service\n", id1, ""},
		"docker, systemd":     {"0::/system.slice/docker-" + id1 + ".scope\n", id1, ""},
		"docker in docker":    {"0::/docker/" + id1 + "/docker/" + id2, id2, ""},
		"systemd in docker":   {"0::/docker/" + id1 + "/system.slice/foo.service", id1, ""},
		"podman":              {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" + id1 + ".scope/container", id1, ""},
		"podman's monitor":    {text: "0::/machine.slice/libpod-conmon-" + id1 + ".scope"},
		"podman's pod":        {"0::/machine.slice/machine-libpod_pod_" + id2 + ".slice/libpod-" + id1 + ".scope", id1, ""},
		"kubernetes, v1":      {"11:devices:/kubepods/besteffort/pod" + uid + "/" + id1, id1, uid},
		"guaranteed":          {"0::/kubepods/pod" + uid + "/" + id1, id1, uid},
		"static pod":          {"0::/kubepods/burstable/pod" + hash + "/" + id1, id1, hash},
		"containerd, systemd": {"0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" + uidBar + ".slice/cri-containerd-" + id1 + ".scope", id1, uid},
		"cri-o":               {"0::/kubepods.slice/kubepods-pod" + uidBar + ".slice/crio-" + id1 + ".scope/container", id1, uid},
		"cri-o's monitor":     {"0::/kubepods.slice/kubepods-pod" + uidBar + ".slice/crio-conmon-" + id1 + ".scope", "", uid},
		"kind":                {"0::/docker/" + id2 + "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod" + uidBar + ".slice/cri-containerd-" + id1 + ".scope", id1, uid},
		"colons":              {"1:name=systemd:/system.slice/containerd.service/kubepods-burstable-pod" + uidBar + ".slice:cri-containerd:" + id1, id1, uid},
		"cgroup namespace":    {"0::/../../kubepods-burstable-pod" + uidBar + ".slice/cri-containerd-" + id1 + ".scope", id1, uid},
		"docker in a pod":     {"0::/kubepods/pod" + uid + "/" + id1 + "/docker/" + id2, id2, uid},
		"pod's own process":   {"0::/kubepods/pod" + uid, "", uid},
		"removed":             {"0::/kubepods/pod" + uid + "/" + id1 + " (deleted)", id1, uid},
		"hybrid":              {"1:name=systemd:/system.slice/containerd.service\n2:devices:/kubepods/pod" + uid + "/" + id1, id1, uid},
		"both win":            {"2:cpu:/docker/" + id2 + "\n1:devices:/kubepods/pod" + uid + "/" + id1, id1, uid},
		"ecs on ec2":          {"9:perf_event:/ecs/task/" + hash + "/" + id1, id1, ""},
		"ecs on fargate":      {"9:perf_event:/ecs/" + hash + "/" + hash + "-1234567890", hash + "-1234567890", ""},
		"garden":              {"1:name=systemd:/system.slice/garden.service/garden/70ae5e4c-5a00-11e9-4d86-18d1", "70ae5e4c-5a00-11e9-4d86-18d1", ""},
		"garden, uuid":        {"1:devices:/garden/" + uid, uid, ""},
		"a slice is no id":    {text: "0::/some-" + hash + ".slice"},
		"65 digits":           {text: "0::/a" + id1},
		"a service of pods":   {text: "0::/system.slice/my-podcast.service"},
		"empty":               {},
		"no colons":           {text: "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			container, pod := parseCgroup(tt.text)
			assert.Equal(t, tt.container, container)
			assert.Equal(t, tt.pod, pod)
		})
	}
}

func FuzzParseCgroup(f *testing.F) {
	f.Add("0::/kubepods.slice/kubepods-pod" + uidBar + ".slice/crio-" + id1 + ".scope/container")
	f.Add("9:perf_event:/ecs/" + hash + "/" + hash + "-1234567890\n1:devices:/garden/" + uid)
	f.Add("0:::::\n::/pod\n1:/garden/")
	f.Fuzz(func(t *testing.T, text string) {
		container, pod := parseCgroup(text)
		for _, id := range []string{container, pod} {
			if strings.Trim(id, "0123456789abcdefABCDEF-") != "" || len(id) > containerIDLen && !strings.Contains(id, "-") {
				t.Errorf("%q is no id", id)
			}
		}
	})
}
