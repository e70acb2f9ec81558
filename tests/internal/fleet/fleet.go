// Package fleet starts the shipped agents and gateways together, as a site has them.
package fleet

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

// Fleet is two agents before two gateways, as they are shipped.
type Fleet struct {
	Gateways, Agents [2]*collector.Collector
	gatewayDirs      [2]string
	agentDirs        [2]string
	machine, env     []string
	overlays         []string
}

// Quick is what tests cannot wait for.
const Quick = `
processors:
  tail_sampling:
    decision_wait: 3s
    decision_wait_after_root_received: 1s
` + collector.Waits

// Start starts it. env is that of the gateways, with their back-ends; overlays are for them, too.
func Start(t testing.TB, env []string, overlays ...string) *Fleet {
	t.Helper()
	return StartOn(t, nil, env, overlays...)
}

// StartOn is Start on machines with GPUs, each of an environment for a fake driver.
func StartOn(t testing.TB, machine, env []string, overlays ...string) *Fleet {
	t.Helper()
	f := &Fleet{machine: machine, env: env, overlays: append([]string{Quick}, overlays...)}
	for i := range f.Gateways {
		f.Gateways[i], f.gatewayDirs[i] = collector.NewShipped(t), t.TempDir()
		f.StartGateway(t, i)
	}
	for i := range f.Agents {
		f.Agents[i], f.agentDirs[i] = collector.NewShipped(t), t.TempDir()
		f.StartAgent(t, i)
	}
	return f
}

// StartAgent starts an agent, again on its own addresses and queues.
func (f *Fleet) StartAgent(t testing.TB, i int) {
	t.Helper()
	gateways := fmt.Sprintf("GATEWAYS=[%s, %s]", f.Gateways[0].GRPC, f.Gateways[1].GRPC)
	f.Agents[i].StartAgain(t, "agent.yaml", f.agentDirs[i], append([]string{gateways}, f.machine...), f.driver(t)...)
}

// driver lays the fake driver over an agent's configuration, where there is one.
func (f *Fleet) driver(t testing.TB) []string {
	t.Helper()
	if f.machine == nil {
		return nil
	}
	return []string{"receivers: {nvml: {library_path: " + nvmltest.Library(t) + ", collection_interval: 500ms, timeout: 400ms}}"}
}

// StartGateway starts a gateway, again on its own addresses and queues.
func (f *Fleet) StartGateway(t testing.TB, i int) {
	t.Helper()
	f.Gateways[i].StartAgain(t, "gateway.yaml", f.gatewayDirs[i], append([]string{"HOSTNAME=" + Name(i)}, f.env...), f.overlays...)
}

// Name is that of a gateway, its collector.instance.id.
func Name(i int) string { return fmt.Sprintf("gateway-%d", i) }

// All returns agents and gateways.
func (f *Fleet) All() []*collector.Collector { return append(f.Agents[:], f.Gateways[:]...) }

// Sent is what was sent in all.
type Sent struct{ Requests, Spans, LogRecords int }

// Play has each of two services send requests, each span in an export of its own, and request logs
// to its agent. More arguments are for inferctl simulate.
func (f *Fleet) Play(t testing.TB, requests int, args ...string) (all Sent) {
	t.Helper()
	for i, agent := range f.Agents {
		truth := simulate.Run(t, agent.GRPC, append([]string{
			"--requests", strconv.Itoa(requests), "--logs", "otlp", "--scatter", "--service-name", fmt.Sprintf("service-%d", i),
		}, args...)...)
		all.Requests += truth.Requests
		all.Spans += truth.Sent.Spans
		all.LogRecords += truth.Sent.LogRecords
	}
	return all
}

// Add adds what was sent later.
func (s Sent) Add(o Sent) Sent {
	return Sent{s.Requests + o.Requests, s.Spans + o.Spans, s.LogRecords + o.LogRecords}
}

// Overlay is a shipped configuration, to be laid over another.
func Overlay(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../distribution/config/" + name) //nolint:gosec // a file of ours
	require.NoError(t, err)
	return string(data)
}
