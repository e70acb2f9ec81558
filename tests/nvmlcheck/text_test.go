package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNumber(t *testing.T) {
	for in, want := range map[text]float64{
		"627.40 W":      627.4,
		"143771 MiB":    143771 << 20,
		" 52 C ":        52,
		"-2 C":          -2,
		"1980 MHz":      1.98e9,
		"16x":           16,
		"485 KB/s":      485_000,
		"91403239 us":   91.403239,
		"0":             0,
		"\n\t\t7 %\n\t": 0.07,
	} {
		got, ok := in.number()
		assert.True(t, ok, in)
		assert.InDelta(t, want, got, 1e-9, in)
	}
	for _, in := range []text{"N/A", "[N/A]", "", "None", "5 furlongs", "[Unknown Error]", "Requested functionality has been deprecated"} {
		_, ok := in.number()
		assert.False(t, ok, in)
	}
}

func TestFlag(t *testing.T) {
	for in, want := range map[text]float64{"Active": 1, "Not Active": 0, "Yes": 1, " No ": 0} {
		got, ok := in.flag()
		assert.True(t, ok, in)
		assert.InDelta(t, want, got, 0, in)
	}
	_, ok := text("N/A").flag()
	assert.False(t, ok)
}
