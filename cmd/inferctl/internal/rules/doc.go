// Package rules makes the Prometheus rules of the distribution: recording rules, alerts, and error
// budgets from a file of objectives. The tables (records.go, symptoms.go, baselines.go, causes.go)
// say what, in plain PromQL with the windows that people use; build.go turns them into rule files.
package rules

//go:generate go run ../.. rules --slo ../../../../distribution/prometheus/slo.yaml --out ../../../../distribution/prometheus
//go:generate go run ../.. slo ../../../../distribution/prometheus/slo.yaml --out ../../../../distribution/prometheus/inference-slo.rules.yml
//go:generate go run ./gendocs ../../../../docs/alerts.md
