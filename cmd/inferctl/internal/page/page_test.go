package page

import (
	"bytes"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const plain = `# TYPE inference_phase_duration_seconds histogram
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="ok",le="0.1"} 2
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="ok",le="1"} 6
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="ok",le="+Inf"} 6
inference_phase_duration_seconds_sum{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="ok"} 2
inference_phase_duration_seconds_count{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="ok"} 6
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="error",le="0.1"} 0
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="error",le="1"} 2
inference_phase_duration_seconds_bucket{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="error",le="+Inf"} 4
inference_phase_duration_seconds_sum{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="error"} 10
inference_phase_duration_seconds_count{inference_model_name="m",inference_phase="queue",inference_role="server",inference_outcome="error"} 4
`

const open = `# HELP inference_request_duration_seconds How long.
# TYPE inference_request_duration_seconds histogram
# UNIT inference_request_duration_seconds seconds
inference_request_duration_seconds_bucket{inference_model_name="m",le="1.0"} 1 # {trace_id="abc",span_id="def"} 0.5 1700000000.1
inference_request_duration_seconds_bucket{inference_model_name="m",le="+Inf"} 1
inference_request_duration_seconds_sum{inference_model_name="m"} 0.5
inference_request_duration_seconds_count{inference_model_name="m"} 1
# TYPE inference_token_usage counter
inference_token_usage_total{inference_model_name="m"} 5.0
# EOF
`

func parse(t *testing.T, text string) []Row {
	t.Helper()
	families, err := Parse(strings.NewReader(text))
	require.NoError(t, err)
	return families.Rows()
}

func TestRowsSumOverOtherLabels(t *testing.T) {
	rows := parse(t, plain)
	require.Len(t, rows, 1)
	r := rows[0]
	// 10 observations: 2 up to 0.1, 8 up to 1, 2 beyond.
	assert.Equal(t, "queue", r.Measure)
	assert.Equal(t, "server", r.Role)
	assert.Equal(t, int64(10), r.Count)
	assert.InDelta(t, 12, r.Sum, 1e-12)
	assert.InDelta(t, 0.1+0.9*3/6, *r.P50, 1e-12)
	assert.InDelta(t, 1, *r.P95, 1e-12, "beyond the last bound")
}

func TestRowsSince(t *testing.T) {
	const page = `# TYPE inference_request_duration_seconds histogram
inference_request_duration_seconds_bucket{inference_model_name="%s",le="1"} %d
inference_request_duration_seconds_bucket{inference_model_name="%s",le="+Inf"} %d
inference_request_duration_seconds_sum{inference_model_name="%s"} %d
inference_request_duration_seconds_count{inference_model_name="%s"} %d
`
	read := func(model string, fast, all int) Families {
		families, err := Parse(strings.NewReader(fmt.Sprintf(page, model, fast, model, all, model, all, model, all)))
		require.NoError(t, err)
		return families
	}
	rows := read("m", 3, 10).RowsSince(read("m", 3, 4))
	require.Len(t, rows, 1)
	assert.EqualValues(t, 6, rows[0].Count)
	assert.InDelta(t, 6, rows[0].Sum, 0)
	assert.InDelta(t, 1, *rows[0].P50, 0, "all six are above the last bound")
	assert.Empty(t, read("m", 3, 4).RowsSince(read("m", 3, 4)), "nothing since")
	assert.EqualValues(t, 2, read("m", 1, 2).RowsSince(read("m", 3, 4))[0].Count, "restarted")
	assert.EqualValues(t, 4, read("m", 3, 4).RowsSince(nil)[0].Count)
}

// Scenario: between two readings one series of a model goes and another comes.
// Guarantees: each is compared with itself, not their sums.
func TestRowsSinceBySeries(t *testing.T) {
	const series = `inference_request_duration_seconds_bucket{inference_model_name="m",outcome="%s",le="+Inf"} %d
inference_request_duration_seconds_count{inference_model_name="m",outcome="%s"} %d
`
	read := func(outcome string, n int, more ...any) Families {
		text := "# TYPE inference_request_duration_seconds histogram\n" + fmt.Sprintf(series, outcome, n, outcome, n)
		if more != nil {
			text += fmt.Sprintf(series, more[0], more[1], more[0], more[1])
		}
		families, err := Parse(strings.NewReader(text))
		require.NoError(t, err)
		return families
	}
	assert.EqualValues(t, 3, read("ok", 103).RowsSince(read("ok", 100, "error", 10))[0].Count, "error ended")
	assert.EqualValues(t, 15, read("ok", 103, "error", 12).RowsSince(read("ok", 100))[0].Count, "error is new")
	assert.EqualValues(t, 12, read("ok", 12).RowsSince(read("ok", 100))[0].Count, "restarted")
}

func TestOpenMetricsPageWithExemplars(t *testing.T) {
	rows := parse(t, open)
	require.Len(t, rows, 1)
	assert.Equal(t, "request", rows[0].Measure)
	assert.InDelta(t, 0.5, *rows[0].P50, 1e-12, "half of the first bucket")
}

func TestQuantileOfOddHistograms(t *testing.T) {
	inf := math.Inf(1)
	quantile := func(q float64, below map[float64]float64) float64 { return (&histogram{below: below}).quantile(q) }
	assert.True(t, math.IsNaN(quantile(0.5, nil)))
	assert.True(t, math.IsNaN(quantile(0.5, map[float64]float64{1: 0, inf: 0})))
	assert.True(t, math.IsNaN(quantile(0.5, map[float64]float64{inf: 3})))
	assert.InDelta(t, 2, quantile(0.5, map[float64]float64{1: 0, 2: 0, inf: 3}), 1e-12)
	assert.InDelta(t, 1.5, quantile(0.5, map[float64]float64{1: 1, 2: 3, inf: 4}), 1e-12)
	assert.InDelta(t, 2, quantile(0.75, map[float64]float64{1: 1, 2: 3, 4: 2, inf: 4}), 1e-12, "not monotonic")
	assert.InDelta(t, -1, quantile(0.1, map[float64]float64{-1: 2, inf: 2}), 1e-12)
}

func TestOrderOfRows(t *testing.T) {
	rows := []Row{{Model: "b"}, {Model: "a", Measure: "zzz"}, {Model: "a", Measure: "tpot"}, {Model: "a", Measure: "queue", Role: "server"}, {Model: "a", Measure: "queue", Role: "client"}}
	var out bytes.Buffer
	assert.Negative(t, compare(rows[4], rows[3]))
	assert.Negative(t, compare(rows[3], rows[2]))
	assert.Negative(t, compare(rows[2], rows[1]))
	assert.Negative(t, compare(rows[1], rows[0]))
	require.NoError(t, WriteTable(&out, rows))
	assert.Regexp(t, `a +queue +server +0 +- +- +-`, out.String())
}

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/metrics" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(plain))
	}))
	defer server.Close()
	families, err := Fetch(t.Context(), server.URL+"/metrics")
	require.NoError(t, err)
	assert.Len(t, families.Rows(), 1)

	_, err = Fetch(t.Context(), server.URL+"/other")
	require.ErrorContains(t, err, "404")
	server.Close()
	_, err = Fetch(t.Context(), server.URL+"/metrics")
	require.ErrorContains(t, err, "is the collector running?")
}

func TestGarbageIsAnError(t *testing.T) {
	_, err := Parse(strings.NewReader("<html>"))
	assert.ErrorContains(t, err, "metrics page")
}

func TestWriteJSONHasNullForNothing(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, WriteJSON(&out, []Row{{Model: "m"}}))
	assert.Contains(t, out.String(), `"p50": null`)
}

const gpuPage = `# TYPE hw_status gauge
hw_status{hw_id="GPU-b",hw_name="NVIDIA H200",hw_state="ok",hw_type="gpu"} 1
hw_status{hw_id="GPU-b",hw_name="NVIDIA H200",hw_state="failed",hw_type="gpu"} 0
hw_status{hw_id="GPU-a",hw_name="NVIDIA L40S",hw_state="ok",hw_type="gpu"} 0
hw_status{hw_id="GPU-a",hw_name="NVIDIA L40S",hw_state="failed",hw_type="gpu"} 1
# TYPE nvidia_gpu_index gauge
nvidia_gpu_index{hw_id="GPU-b",hw_name="NVIDIA H200"} 0
# TYPE hw_gpu_utilization_ratio gauge
hw_gpu_utilization_ratio{hw_gpu_task="encoder",hw_id="GPU-b",hw_name="NVIDIA H200"} 0
hw_gpu_utilization_ratio{hw_gpu_task="general",hw_id="GPU-b",hw_name="NVIDIA H200"} 1
# TYPE nvidia_gpu_pipe_utilization_ratio gauge
nvidia_gpu_pipe_utilization_ratio{hw_id="GPU-b",hw_name="NVIDIA H200",nvidia_gpu_pipe="tensor"} 0.125
nvidia_gpu_pipe_utilization_ratio{hw_id="MIG-c",hw_name="NVIDIA H200",nvidia_gpu_pipe="tensor"} 0.5
# TYPE hw_gpu_memory_usage_bytes gauge
hw_gpu_memory_usage_bytes{hw_id="GPU-b",hw_name="NVIDIA H200"} 1073741824
# TYPE hw_gpu_memory_limit_bytes gauge
hw_gpu_memory_limit_bytes{hw_id="GPU-b",hw_name="NVIDIA H200"} 2147483648
`

func TestGPUs(t *testing.T) {
	families, err := Parse(strings.NewReader(gpuPage))
	require.NoError(t, err)
	gpus := families.GPUs()
	require.Len(t, gpus, 2, "a MIG device is no GPU of its own")
	assert.Equal(t, "GPU-b", gpus[0].ID, "by index, those without one last")
	assert.Equal(t, "failed", gpus[1].Status)
	assert.Nil(t, gpus[1].Busy)
	var out bytes.Buffer
	require.NoError(t, WriteGPUs(&out, gpus))
	assert.Equal(t, `GPU  NAME         STATUS  BUSY  SM  TENSOR  DRAM  MEMORY        POWER  TEMP
0    NVIDIA H200  ok      100%  -   12%     -     1.0 / 2.0GiB  -      -
-    NVIDIA L40S  failed  -     -   -       -     - / -         -      -
`, out.String())
}
