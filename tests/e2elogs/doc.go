// Package e2elogs tests the built collector together with a real VictoriaLogs, which
// `make e2e-full` builds. It takes longer than `make e2e` shall.
package e2elogs
