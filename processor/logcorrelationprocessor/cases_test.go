package logcorrelationprocessor

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/otelcol-inference/otelcol-inference/internal/casetest"
)

// The conditions of tests/cases, on a clock of their own.
func TestCases(t *testing.T) {
	casetest.EachLog(t, "../../tests/cases", func(t *testing.T, c casetest.LogCase) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			start := time.Now()
			for _, s := range c.Steps {
				time.Sleep(time.Until(start.Add(s.At)))
				if s.Trace {
					r.send(s.Traces)
				} else {
					r.log(s.Logs)
				}
			}
			after(r.cfg.Wait)
			c.Check(t, r.out.all())
		})
	})
}
