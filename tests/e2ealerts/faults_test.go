package e2ealerts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/internal/nvmltest"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/alertmanager"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/collector"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/process"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/prometheus"
	"github.com/otelcol-inference/otelcol-inference/tests/internal/simulate"
)

const (
	shipped  = "../../distribution"
	patience = 2 * time.Minute
	glance   = 250 * time.Millisecond
	served   = "org/qwen2.5-7b"
	// What the objectives file of the test says.
	threshold = "8s"
)

// objectives: a minute is a second in these tests, so that a window holds few requests.
const objectives = `
min_requests: 5
models:
  - model: ".*"
    request: {threshold: ` + threshold + `, objective: 99%}
    ttft: {threshold: 2s, objective: 95%}
    availability: {objective: 99%}
`

// healthy is a service with room: 3 requests a second where 5 could be served.
var healthy = []string{"--models", served + "@v1=1", "--rate", "3", "--error-rate", "0", "--abort-rate", "0"}

// rig is everything from the service to whoever is woken.
type rig struct {
	sink      *alertmanager.Sink
	world     *nvmltest.World
	collector *collector.Collector
	*prometheus.Prometheus
	service *process.Process
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{sink: alertmanager.NewSink(t), world: nvmltest.New(t, gpu(90))}
	r.collector = collector.StartIn(t, r.world.Env(), fmt.Sprintf(`
connectors:
  span_phase:
    flush_interval: 1s
    first_point_hold: 3s
    assembly:
      linger: 1s
receivers:
  nvml:
    library_path: %s
    collection_interval: 500ms
    timeout: 400ms
`, nvmltest.Library(t)))
	am := alertmanager.Start(t, shippedAlertmanager(t, r.sink))
	r.Prometheus = prometheus.StartWith(t, t.TempDir(), fmt.Sprintf(`
rule_files: [%s/*.rules.yml]
alerting:
  alertmanagers:
    - static_configs:
        - targets: [%s]
`, makeRules(t, objectives, 60), am.Addr), r.collector.Page)
	return r
}

// gpu is a machine whose GPU is used for that many percent of the time.
func gpu(percent int) []byte {
	d := nvmltest.H200()
	d.Calls["GetUtilizationRates"] = nvmltest.OK("gpu", percent, "memory", 7)
	machine := nvmltest.DGX(1, d)
	return machine.State(0, 0)
}

// makeRules makes all rules for the objectives and returns their folder.
func makeRules(t *testing.T, objectives string, scale int) string {
	t.Helper()
	dir := t.TempDir()
	slo := filepath.Join(dir, "slo.yaml")
	require.NoError(t, os.WriteFile(slo, []byte(objectives), 0o600))
	for _, args := range [][]string{
		{"rules", "--slo", slo, "--out", dir},
		{"slo", slo, "--out", filepath.Join(dir, "inference-slo.rules.yml")},
	} {
		cmd := exec.CommandContext(t.Context(), process.Find(t, "INFERCTL", "../../bin/inferctl", "make build"),
			append(args, "--scale", strconv.Itoa(scale))...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

var amTimes = regexp.MustCompile(`(group_wait|group_interval): \w+`)

// shippedAlertmanager is the configuration that is shipped, with the sink's addresses, secrets of the test, and
// no patience.
func shippedAlertmanager(t *testing.T, sink *alertmanager.Sink) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(shipped, "alertmanager", "alertmanager.yml"))
	require.NoError(t, err)
	templates, err := filepath.Abs(filepath.Join(shipped, "alertmanager", "templates"))
	require.NoError(t, err)
	secrets := t.TempDir()
	for name, secret := range map[string]string{"webhook_url": sink.URL + "/webhook", "wecom_secret": "secret", "smtp_password": "secret"} {
		require.NoError(t, os.WriteFile(filepath.Join(secrets, name), []byte(secret), 0o600))
	}
	config := string(data)
	for _, change := range [][2]string{
		{"/etc/alertmanager/secrets/", secrets + "/"},
		{"/etc/alertmanager/inference/", templates + "/"},
		{"https://qyapi.weixin.qq.com/cgi-bin/", sink.URL + "/cgi-bin/"},
		// A mail server on this machine, without TLS and password.
		{"smtp_smarthost: smtp.example.com:587", "smtp_require_tls: false\n  smtp_smarthost: " + sink.Mail},
		{"  smtp_auth_username: alerts@example.com\n", ""},
	} {
		require.Contains(t, config, change[0])
		config = strings.ReplaceAll(config, change[0], change[1])
	}
	require.Len(t, amTimes.FindAllString(config, -1), 6)
	return amTimes.ReplaceAllString(config, "$1: 1s")
}

// serve lets the service run, instead of the one that runs.
func (r *rig) serve(t *testing.T, args ...string) {
	t.Helper()
	if r.service != nil {
		r.service.Kill(t)
	}
	r.service = simulate.Start(t, r.collector.GRPC, append(append([]string{}, healthy...), args...)...)
}

// awaitAlert waits until the last that the webhook got of the alert has the status.
func (r *rig) awaitAlert(t *testing.T, name, status string) (last alertmanager.Alert) {
	t.Helper()
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		list := r.sink.Alerts(name)
		if assert.NotEmpty(c, list, "%s: the webhook got %v", name, r.sink.Alerts("")) {
			last = list[len(list)-1]
			assert.Equal(c, status, last.Status, name)
		}
	}, patience, glance)
	return last
}

// A fault, and the alert that tells it.
type fault struct {
	name, alert, severity, threshold, duration, value string
	labels                                            map[string]string
	gpu                                               int
}

var faults = []fault{
	{
		name: "slow-preprocess", alert: "InferencePhaseSlow", severity: "P2", threshold: "3 × the hour before", duration: "5s",
		value: `^\d+(\.\d+)?(ms|s)$`, labels: map[string]string{"inference_phase": "preprocess"}, gpu: 90,
	},
	{
		name: "no-batching", alert: "InferenceBatchingLost", severity: "P1", threshold: "1.1", duration: "5s",
		value: `^1$`, gpu: 40,
	},
	{
		name: "overload", alert: "InferenceQueueTimeRising", severity: "P1", threshold: "200ms", duration: "5s",
		value: `^\d+(\.\d+)?(ms|s)$|^\d+m \d+s$`, gpu: 90,
	},
}

// Scenario: healthy traffic; a fault, as an operator would make it; the fault is taken away.
// Guarantees: the alert that names the fault arrives through Alertmanager, with value, threshold, duration
// and a link; in healthy times it is silent; and its recovery is told, with the value that fired last.
func TestFaults(t *testing.T) {
	if os.Getenv("E2E_FULL") == "" {
		playFault(t, &faults[0])
		return
	}
	for i := range faults {
		t.Run(faults[i].name, func(t *testing.T) { playFault(t, &faults[i]) })
	}
}

func playFault(t *testing.T, f *fault) {
	t.Helper()
	r := newRig(t)
	r.serve(t)
	// An hour and a quarter of healthy traffic, and the windows before the first request was seen.
	require.Eventually(t, func() bool {
		list, err := r.TryQuery(t.Context(), `min(count_over_time(model:inference_phase_seconds:p95_rate5m{inference_phase="preprocess"}[75s]))`, "")
		return err == nil && len(list) == 1 && list[0].Value.Value >= 90
	}, patience, glance, "no healthy traffic")
	assert.Empty(t, r.sink.Alerts(f.alert), "while all was well")

	r.world.Set(gpu(f.gpu))
	r.serve(t, "--fault", f.name)
	fired := r.awaitAlert(t, f.alert, "firing")
	f.check(t, &fired)

	r.world.Set(gpu(90))
	r.serve(t)
	resolved := r.awaitAlert(t, f.alert, "resolved")
	assert.Equal(t, fired.Fingerprint, resolved.Fingerprint)
	f.check(t, &resolved)
	r.checkMessages(t, f)
	errs, evaluated := r.RuleErrors(t)
	assert.Empty(t, errs)
	assert.Greater(t, evaluated, 80)
}

func (f *fault) check(t *testing.T, a *alertmanager.Alert) {
	t.Helper()
	assert.Equal(t, f.severity, a.Labels["severity"])
	assert.Equal(t, served, a.Labels["inference_model_name"])
	for name, value := range f.labels {
		assert.Equal(t, value, a.Labels[name], name)
	}
	assert.Regexp(t, f.value, a.Annotations["value"])
	assert.Equal(t, f.threshold, a.Annotations["threshold"])
	assert.Equal(t, f.duration, a.Annotations["duration"])
	assert.Equal(t, served, a.Annotations["model"])
	assert.Contains(t, a.Annotations["dashboard"], "http://localhost:3000/d/inference-slow?")
	assert.Contains(t, a.Annotations["dashboard"], "var-model=org%2Fqwen2.5-7b")
	for name, text := range a.Annotations {
		assert.NotContains(t, text, "<no value>", name)
		assert.NotContains(t, text, "NaN", name)
	}
}

// checkMessages looks at what people read: P1 goes to chat, in Chinese, and P2 by mail, in English.
func (r *rig) checkMessages(t *testing.T, f *fault) {
	t.Helper()
	read, firing, resolved := r.sink.Chats, "当前值：", "最后一次告警值："
	if f.severity == "P2" {
		read, firing, resolved = r.sink.Mails, "Value: ", "Last firing value: "
	}
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		all := strings.Join(read(), "\n")
		assert.Contains(c, all, firing)
		assert.Contains(c, all, resolved)
	}, patience, glance)
	for _, message := range r.sink.Chats() {
		assert.LessOrEqual(t, len(message), 2048, message)
	}
}
