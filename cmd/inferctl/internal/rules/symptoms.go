package rules

import "time"

// symptoms tell that users wait or fail, or that they soon will.
var symptoms = []Alert{
	{
		Name: "InferenceLatencyCritical", Severity: P0, For: 2 * time.Minute, Unit: Latency, About: aModel,
		Expr: `model:inference_latency_seconds:p99_rate5m
  >= on ($id, slo) group_left (threshold) model:inference_slo_threshold_seconds{level="critical"}
and on ($id, slo) model:inference_latency_requests:increase5m >= $min`,
		Title: Text{"p99 of {{ $labels.slo }} is at twice its objective or more", "{{ $labels.slo }} 的 p99 已达目标的两倍以上"},
		Look: Text{
			"Which phase has grown, and are requests refused? Take load off before you look for the cause",
			"先减载，再看哪个阶段变长、是否有请求被拒",
		},
	},
	{
		Name: "InferenceErrorRateHigh", Severity: P0, For: 5 * time.Minute, Unit: Share, Threshold: 0.05, About: aModel,
		Expr: `model:inference_request_errors:ratio_rate5m > $threshold
and model:inference_requests:increase5m >= $min`,
		Title: Text{"Requests fail", "请求失败率过高"},
		Look: Text{
			"Errors by error_type and outcome: timeouts come from overload, rejections from a full queue, errors from the engine; clients that went away are not among them",
			"按 error_type 与 inference_outcome 查看：timeout 多为过载，rejected 多为队列已满，error 来自引擎；客户端主动断开不计入",
		},
	},
	{
		Name: "InferenceGPUsStopped", Severity: P0, For: 2 * time.Minute, Unit: Share, Threshold: 0.01, About: aGPUFleet,
		Expr: `max(avg_over_time(hw_gpu_utilization_ratio{hw_gpu_task="general"}[2m])) < $threshold
and max(max_over_time(hw_gpu_utilization_ratio{hw_gpu_task="general"}[1h])) > 0.1
and (
    sum(increase(inference_request_duration_seconds_count[2m])) >= $min
  or
    sum(min_over_time(inference_server_requests_waiting{inference_role="server"}[2m])) > 0
  or
    sum(min_over_time(inference_server_requests_running{inference_role="server"}[2m])) > 0
)`,
		Title: Text{"No GPU works although requests come", "有流量，但所有 GPU 利用率为零"},
		Look: Text{
			"Engines: are they alive, do they hang? Then Xid errors and the driver, and whether traffic goes to another fleet",
			"先看引擎是否存活或挂死，再看 Xid 与驱动，以及流量是否被导向别处",
		},
	},
	{
		Name: "InferenceLatencyRising", Severity: P1, For: 15 * time.Minute, Unit: Latency, About: aModel,
		Expr: `model:inference_latency_seconds:p99_rate5m
  > on ($id, slo) group_left (threshold) model:inference_slo_threshold_seconds{level="objective"}
and on ($id, slo) model:inference_latency_seconds:p99_rate30m > on ($id, slo) group_left () model:inference_slo_threshold_seconds{level="objective"}
and on ($id, slo) model:inference_latency_seconds:p99_rate30m > model:inference_latency_seconds:p99_rate30m offset 15m
and on ($id, slo) model:inference_latency_requests:increase5m >= $min`,
		Title: Text{"p99 of {{ $labels.slo }} is over its objective for long, and rises", "{{ $labels.slo }} 的 p99 长短窗口均超目标且仍在上升"},
		Look: Text{
			"Load against capacity: does QPS rise, or does each request cost more? The queue tells",
			"比较负载与容量：是 QPS 上升，还是单个请求变贵？看队列",
		},
	},
	{
		Name: "InferenceLatencyOverObjective", Severity: P1, For: 5 * time.Minute, Unit: Latency, About: aModel,
		Expr: `model:inference_latency_seconds:p99_rate5m
  > on ($id, slo) group_left (threshold) model:inference_slo_threshold_seconds{level="objective"}
and on ($id, slo) model:inference_latency_requests:increase5m >= $min`,
		Title: Text{"p99 of {{ $labels.slo }} is over its objective", "{{ $labels.slo }} 的 p99 超过目标"},
		Look: Text{
			"Is p50 up as well? Then all requests are slow: load or hardware. Only p99: long prompts, preemptions, one bad instance",
			"p50 是否也升高？若是，则整体变慢：负载或硬件；若只有 p99：长输入、抢占或个别坏实例",
		},
	},
	{
		Name: "InferenceLatencyDegrading", Severity: P2, For: 30 * time.Minute, Unit: Latency, Threshold: 1.5, About: aModel,
		Limit: Text{"$threshold × the 6h before", "此前 6 小时的 $threshold 倍"},
		Expr: `avg_over_time(model:inference_latency_seconds:p95_rate5m[30m])
  > $threshold * avg_over_time(model:inference_latency_seconds:p95_rate5m[6h] offset 30m)
and count_over_time(model:inference_latency_seconds:p95_rate5m[6h] offset 30m) > 60
and model:inference_latency_requests:increase30m >= $min`,
		Title: Text{"p95 of {{ $labels.slo }} gets worse", "{{ $labels.slo }} 的 p95 正在恶化"},
		Look: Text{
			"What changed within six hours: a new version, other prompts, a neighbour on the GPU",
			"六小时内有何变化：新版本、输入变化、GPU 上的其他任务",
		},
	},
}
