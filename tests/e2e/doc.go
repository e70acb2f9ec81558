// Package e2e tests the built collector together with real back-ends, which
// `make e2e` gets by itself.
package e2e
