package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/inference"
)

// Scenario: a metric or attribute was added to the registry.
// Guarantees: the page explains it, with a query that names it.
func TestNothingIsMissing(t *testing.T) {
	keys := inference.CommonAttributes()
	for id := range inference.NumMetrics {
		m := inference.Registry(id)
		keys = append(keys, m.Attributes...)
		require.NotEmpty(t, examples[id], m.Name)
		for _, e := range examples[id] {
			assert.NotEmpty(t, e.Question, m.Name)
			assert.Contains(t, e.Query, "$m", m.Name)
		}
	}
	for _, key := range keys {
		assert.NotEmpty(t, attributes[key].Meaning, key)
	}
}

// Scenario: the domain has got another role, outcome, hop or provenance.
// Guarantees: the page lists it: there is none after the last that it knows.
func TestNoValueIsMissing(t *testing.T) {
	for key, next := range map[string]func() string{
		inference.AttrRole:       (inference.RoleClient + 1).String,
		inference.AttrOutcome:    (inference.OutcomeAborted + 1).String,
		inference.AttrHop:        (inference.HopNetwork + 1).String,
		inference.AttrProvenance: (inference.Measured + 1).String,
	} {
		assert.Panics(t, func() { _ = next() }, key)
	}
}

// Scenario: the registry or the generator changed.
// Guarantees: the page was generated anew.
func TestPageIsCurrent(t *testing.T) {
	got, err := os.ReadFile("../../../docs/metrics.md")
	require.NoError(t, err)
	assert.Equal(t, string(page()), string(got), "make generate")
}
