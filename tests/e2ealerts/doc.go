// Package e2ealerts holds tests of the rules, the alerts and Alertmanager's configuration that are
// shipped: with promtool, and with a real Prometheus and Alertmanager behind the real collector.
//
// With E2E_FULL=1 all faults are played, else one.
package e2ealerts
