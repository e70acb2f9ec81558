package procs

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDeviceKey(t *testing.T) {
	for id, want := range map[string]string{
		"GPU-" + uid:                "GPU-" + uid,
		"GPU-" + uid + "::3":        "GPU-" + uid,
		"GPU-" + uid + "-3":         "GPU-" + uid,
		"GPU-" + uid + "-_-3":       "GPU-" + uid,
		"GPU-short":                 "GPU-short",
		"GPU-short::1":              "GPU-short",
		"MIG-" + uid:                "MIG-" + uid,
		"MIG-" + uid + "::7":        "MIG-" + uid,
		"MIG-GPU-" + uid + "/1/0":   "MIG-GPU-" + uid + "/1/0",
		"MIG-GPU-" + uid + "/1/0::": "MIG-GPU-" + uid + "/1/0",
		"nvidia0":                   "nvidia0",
		"nvidia10/vgpu1":            "nvidia10",
		"nvidia0/gi3":               "nvidia0/gi3",
		"nvidia0/gi3/vgpu1":         "nvidia0/gi3",
		"nvidia0::2":                "nvidia0",
		"MIG::7":                    "", // names no device
		"GPU-":                      "",
		"MIG-::7":                   "",
		"nvidia":                    "",
		"nvidia-fs":                 "",
		"nvidia0/vgpu1/gi3":         "",
		"nvidia0/gi3/vgpu1/x":       "",
		"0000:3b:00.0":              "",
		"":                          "",
	} {
		got, ok := deviceKey(id)
		assert.Equal(t, want != "", ok, id)
		if ok {
			assert.Equal(t, want, got, id)
		}
	}
}

func FuzzDeviceKey(f *testing.F) {
	f.Add("nvidia0/gi3/vgpu1")
	f.Add("GPU-" + uid + "::3")
	f.Add("MIG::7")
	f.Fuzz(func(t *testing.T, id string) {
		key, ok := deviceKey(id)
		if !ok {
			return
		}
		if !strings.HasPrefix(id, key) {
			t.Errorf("%q does not begin with %q", id, key)
		}
		if again, ok := deviceKey(key); !ok || again != key {
			t.Errorf("the key of %q is %q, the key of that is %q", id, key, again)
		}
	})
}
