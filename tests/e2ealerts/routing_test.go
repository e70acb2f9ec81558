package e2ealerts

import (
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/otelcol-inference/otelcol-inference/tests/internal/alertmanager"
)

// alert is an alert as the rules make it, but for its texts.
func alert(name, severity, kind, model string) alertmanager.Alert {
	labels := map[string]string{"alertname": name, "severity": severity, "kind": kind}
	if model != "" {
		labels["inference_model_name"], labels["service_name"] = model, "chat"
	}
	return alertmanager.Alert{Labels: labels, Annotations: map[string]string{
		"summary": "Slow: " + model, "summary_zh": "变慢：" + model, "description": "Look.", "description_zh": "看。",
		"value": "12s", "threshold": "3 × the hour before", "threshold_zh": "前一小时的 3 倍", "duration": "5m",
		"dashboard": "http://grafana/d/x?var-model=" + model, "runbook_url": "http://docs#" + name,
	}}
}

// Scenario: symptoms and causes of two models and a broken GPU come to Alertmanager, and end.
// Guarantees: a worse symptom mutes the lesser ones of its model alone and no cause; each severity goes to its
// channels; what people read has value, threshold, duration and link, in both languages, and on recovery says that
// the value is the last one that fired; others' alerts go nowhere.
func TestRouting(t *testing.T) {
	t.Parallel()
	sink := alertmanager.NewSink(t)
	am := alertmanager.Start(t, shippedAlertmanager(t, sink))
	broken, unused := alert("InferenceGPUNotHealthy", "P1", "cause", ""), alert("InferenceGPUMemoryLow", "P2", "cause", "")
	broken.Labels["hw_id"], unused.Labels["hw_id"] = "GPU-1", "GPU-1"
	alerts := []alertmanager.Alert{
		alert("InferenceLatencyCritical", "P0", "symptom", "a"),
		alert("InferenceLatencyOverObjective", "P1", "symptom", "a"),
		alert("InferenceQueueTimeRising", "P1", "cause", "a"),
		alert("InferenceLatencyRising", "P1", "symptom", "b"),
		alert("InferenceLatencyDegrading", "P2", "symptom", "b"),
		alert("InferencePhaseSlow", "P2", "cause", "b"),
		alert("SomethingElse", "P0", "symptom", "a"),
		broken, unused,
	}
	start := time.Now().Add(-90 * time.Second)
	end := time.Now().Add(time.Hour)
	// What mutes comes first: an alert as old as these is told at once.
	am.Post(t, start, end, alerts[0], alerts[3], broken)
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Len(c, names(sink, "firing"), 3) }, patience, glance)
	am.Post(t, start, end, alerts...)
	told := []string{"InferenceGPUNotHealthy", "InferenceLatencyCritical", "InferenceLatencyRising", "InferencePhaseSlow", "InferenceQueueTimeRising"}
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Equal(c, told, names(sink, "firing")) }, patience, glance)
	assert.ElementsMatch(t, []string{"InferenceLatencyOverObjective", "InferenceLatencyDegrading", "InferenceGPUMemoryLow"}, am.Inhibited(t))

	am.Post(t, start, start.Add(90*time.Second), alerts...)
	require.EventuallyWithT(t, func(c *assert.CollectT) { assert.Subset(c, names(sink, "resolved"), told) }, patience, glance)
	assert.Equal(t, told, names(sink, "firing"), "nothing was told that had been muted")

	require.EventuallyWithT(t, func(c *assert.CollectT) {
		chats, mails := strings.Join(sink.Chats(), "\n"), strings.Join(bodies(t, sink.Mails()), "\n")
		for _, line := range []string{
			"[P0] 变慢：a\n当前值：12s（阈值 前一小时的 3 倍）\n开始：", "此前已持续 5m", "看板：http://grafana/d/x?var-model=a\n手册：http://docs#InferenceLatencyCritical",
			"[P0 已恢复] 变慢：a\n最后一次告警值：12s（阈值 前一小时的 3 倍）\n持续：1m 30s", "[P1] 变慢：b",
		} {
			assert.Contains(c, chats, line)
		}
		assert.NotContains(c, chats, "[P2")
		for _, line := range []string{
			"Subject: [P0] Slow: a", "Subject: [P2 recovered] Slow: b",
			"[P2] Slow: b\nValue: 12s (threshold 3 × the hour before)\nSince: ", "UTC, after 5m", "Dashboard: http://grafana/d/x?var-model=b",
			"[P2 recovered] Slow: b\nLast firing value: 12s (threshold 3 × the hour before)\nLasted: 1m 30s",
		} {
			assert.Contains(c, mails, line)
		}
		assert.NotContains(c, mails, "[P1")
	}, patience, glance)
}

// names are those of the alerts that the webhook got with a status, each once, in order.
func names(sink *alertmanager.Sink, status string) (list []string) {
	for _, a := range sink.Alerts("") {
		if a.Status == status {
			list = append(list, a.Labels["alertname"])
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// bodies are mails as they are read: with their subject, and decoded.
func bodies(t *testing.T, mails []string) (list []string) {
	t.Helper()
	for _, mail := range mails {
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(mail)))
		if err != nil {
			text, err = base64.StdEncoding.DecodeString(mail)
		}
		require.NoError(t, err, mail)
		list = append(list, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return list
}
