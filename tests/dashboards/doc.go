// Package dashboards asks a real Prometheus what the shipped dashboards ask, and draws the answers.
package dashboards
