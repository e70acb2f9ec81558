package nvmltest_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
)

func TestIsolateSubtest(t *testing.T) {
	var ran int
	for _, name := range []string{"one", "with spaces (and signs)"} {
		t.Run(name, func(t *testing.T) {
			if nvmltest.Isolate(t) {
				ran++
				return
			}
			assert.NotEmpty(t, os.Getenv("NVMLTEST_CHILD"))
			assert.Zero(t, ran, "a process for each")
		})
	}
}

func TestIsolateSkips(t *testing.T) {
	if nvmltest.Isolate(t) {
		assert.Fail(t, "Isolate skips where the process did")
		return
	}
	t.Skip("on purpose")
}
