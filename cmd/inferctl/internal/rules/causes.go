package rules

import "time"

// causes tell why it is slow, or soon will be.
var causes = []Alert{
	{
		Name: "InferenceQueueTimeRising", Severity: P1, Cause: true, For: 5 * time.Minute, Unit: Seconds, Threshold: 0.2, About: aModel,
		Expr: `model:inference_queue_seconds:p95_rate5m > $threshold
and model:inference_queue_seconds:p95_rate5m > 1.2 * model:inference_queue_seconds:p95_rate5m offset 10m
and deriv(model:inference_queue_seconds:p95_rate5m[10m]) > 0
and model:inference_queue_requests:increase5m >= $min`,
		Title: Text{"Requests wait longer and longer in the queue", "排队时间持续上升"},
		Look: Text{
			"More comes than is computed: QPS, batch size, replicas, long outputs. Add capacity or shed load",
			"到达速度超过处理速度：看 QPS、batch、副本数与输出长度；扩容或限流",
		},
	},
	{
		Name: "InferencePhaseSlow", Severity: P2, Cause: true, For: 5 * time.Minute, Unit: Seconds, Threshold: 3, About: aModel,
		Limit: Text{"$threshold × the hour before", "前一小时的 $threshold 倍"},
		// The queue has an alert of its own. Below 50 ms nobody notices.
		Expr: `model:inference_phase_seconds:p95_rate5m{inference_phase!="queue"} > 0.05
and model:inference_phase_seconds:p95_rate5m > $threshold * avg_over_time(model:inference_phase_seconds:p95_rate5m[1h] offset 15m)
and count_over_time(model:inference_phase_seconds:p95_rate5m[1h] offset 15m) > 20
and model:inference_phase_requests:increase5m >= $min`,
		Title: Text{"Phase {{ $labels.inference_phase }} takes a multiple of its time", "{{ $labels.inference_phase }} 阶段耗时成倍增长"},
		Look: Text{
			"preprocess, postprocess: CPU of the service, its throttling, the tokenizer. inference: GPU clocks, batch size, lengths. receive, other: clients and network",
			"preprocess、postprocess：服务的 CPU、限流、分词器；inference：GPU 频率、batch、长度；receive、other：客户端与网络",
		},
	},
	{
		Name: "InferenceBatchingLost", Severity: P1, Cause: true, For: 5 * time.Minute, Unit: Number, Threshold: 1.1, About: anEngine,
		// Which GPU serves the model is not known: where GPUs are read, one of them must do less than it did.
		Expr: `model:inference_batch_size:mean5m <= $threshold
and max_over_time(model:inference_batch_size:mean5m[1d]) > 2
and on (inference_model_name) (
    model:inference_queue_seconds:p95_rate5m > 0.2
  and
    model:inference_queue_seconds:p95_rate5m > 2 * min_over_time(model:inference_queue_seconds:p95_rate5m[1d])
)
and on () (
    absent(hw_gpu_utilization_ratio{hw_gpu_task="general"})
  or
    count(avg_over_time(hw_gpu_utilization_ratio{hw_gpu_task="general"}[5m])
      < 0.9 * quantile_over_time(0.9, hw_gpu_utilization_ratio{hw_gpu_task="general"}[1d])) > 0
)`,
		Title: Text{"Requests are computed one by one while others wait: dynamic batching is lost", "动态批处理失效：请求逐个计算，其余排队"},
		Look: Text{
			"Maximum batch size and concurrency of the engine, a queue delay of 0, a model reloaded with other settings",
			"检查引擎的最大 batch 与并发、队列延迟是否为 0、模型是否以其他配置重新加载",
		},
	},
	{
		Name: "InferenceGPUIdleWhileRequestsWait", Severity: P1, Cause: true, For: 5 * time.Minute, Unit: Share, Threshold: 0.1, About: aHost,
		Expr: `avg by (job, instance) (avg_over_time(hw_gpu_utilization_ratio{hw_gpu_task="general"}[5m])) < $threshold
and on (job, instance)
  sum by (job, instance) (min_over_time(inference_server_requests_waiting{inference_role="server"}[5m])) > 0`,
		Title: Text{"GPUs idle while requests wait on the same host", "请求在排队，而同一主机的 GPU 空闲"},
		Look: Text{
			"What stands between queue and GPU: a hung engine, the scheduler's CPU, tokenizing, a lock, a transfer",
			"检查队列与 GPU 之间的环节：引擎挂死、调度进程 CPU、分词、锁、传输",
		},
	},
	{
		Name: "InferenceGPUPegged", Severity: P2, Cause: true, For: 30 * time.Minute, Unit: Share, Threshold: 0.95, About: aGPU,
		Expr:  `max by (hw_id, hw_name, instance) (avg_over_time(hw_gpu_utilization_ratio{hw_gpu_task="general"}[30m])) > $threshold`,
		Title: Text{"A GPU has had no pause for long", "GPU 长时间满载"},
		Look: Text{
			"SM, tensor and DRAM utilisation tell whether it is full or only busy; plan capacity if they are high",
			"用 SM、Tensor 与显存带宽利用率判断是真的满载还是只是忙；若都高，应规划扩容",
		},
	},
	{
		Name: "InferenceCPUThrottled", Severity: P2, Cause: true, For: 10 * time.Minute, Unit: Share, Threshold: 0.25, About: aPod,
		Expr: `sum by (namespace, pod, container) (increase(container_cpu_cfs_throttled_periods_total{container!=""}[5m]))
/ (sum by (namespace, pod, container) (increase(container_cpu_cfs_periods_total{container!=""}[5m])) > 100)
> $threshold`,
		Title: Text{"A container is held back by its CPU limit", "容器受 CPU 限额节流"},
		Look: Text{
			"Raise the CPU limit or remove it: tokenizing, scheduling and sampling need CPU before the GPU can work",
			"提高或取消 CPU 限额：分词、调度与采样都需要 CPU，GPU 才有活干",
		},
	},
	{
		Name: "InferenceHostCPUSaturated", Severity: P2, Cause: true, For: 15 * time.Minute, Unit: Share, Threshold: 0.95, About: aHost,
		Expr: `1 - sum by (job, instance) (rate(system_cpu_time_seconds_total{state=~"idle|wait"}[5m]))
/ sum by (job, instance) (rate(system_cpu_time_seconds_total[5m]))
> $threshold`,
		Title: Text{"A host has no CPU left", "主机 CPU 耗尽"},
		Look: Text{
			"CPU by process; engines share the host with what?",
			"按进程查看 CPU：与引擎同机的还有什么？",
		},
	},
	{
		Name: "InferenceKVCacheFull", Severity: P1, Cause: true, For: 5 * time.Minute, Unit: Share, Threshold: 0.95, About: anEngine,
		Expr: `max by (inference_model_name, instance, exported_instance) (avg_over_time(inference_server_kv_cache_usage_ratio{inference_role="server"}[5m])) > $threshold
and
  sum by (inference_model_name, instance, exported_instance) (rate(inference_server_preemptions_total{inference_role="server"}[5m])) > 0`,
		Title: Text{"The KV cache is full and requests are preempted", "KV 缓存已满，请求被抢占"},
		Look: Text{
			"Fewer sequences at a time, shorter contexts, more memory for the cache, another replica: each preemption computes a prompt again",
			"减少并发序列、缩短上下文、增大缓存或加副本：每次抢占都要重算输入",
		},
	},
	{
		Name: "InferenceGPUMemoryHigh", Severity: P2, Cause: true, For: 30 * time.Minute, Unit: Share, Threshold: 0.9, About: aGPU,
		// An engine with a KV cache takes nearly all memory at its start: how full that is, its own alert tells.
		Expr: `hw_gpu_memory_usage_bytes{hw_parent=""} / hw_gpu_memory_limit_bytes{hw_parent=""} > $threshold
unless on (job, instance) inference_server_kv_cache_usage_ratio{inference_role="server"}`,
		Title: Text{"The memory of a GPU is nearly full", "GPU 显存将满"},
		Look: Text{
			"Which process grows: out of memory comes next. Not told on hosts whose engines report a KV cache, since they take all memory by design",
			"看哪个进程在增长：接下来会 OOM。引擎上报 KV 缓存的主机不告警，因其启动时即占满显存",
		},
	},
	{
		Name: "InferenceGPUMemoryLow", Severity: P2, Cause: true, For: 6 * time.Hour, Unit: Share, Threshold: 0.3, About: aGPU,
		Expr:  `hw_gpu_memory_usage_bytes{hw_parent=""} / hw_gpu_memory_limit_bytes{hw_parent=""} < $threshold`,
		Title: Text{"The memory of a GPU is mostly unused", "GPU 显存长期闲置"},
		Look: Text{
			"A smaller GPU, or another model or replica on this one; or the engine has not come up",
			"换更小的 GPU，或在其上增加模型或副本；也可能是引擎没有启动",
		},
	},
	{
		Name: "InferenceGPUXid", Severity: P1, Cause: true, Unit: Number, About: aGPU,
		Limit: Text{"any", "任意一次"},
		// Left out are codes that are an application's own fault or only told. The second part is a
		// series that Prometheus has never seen at 0.
		Expr: `max by (hw_id, hw_name, nvidia_xid_code) (
    increase(nvidia_gpu_xid_errors_total{nvidia_xid_code!~"8|11|13|25|31|32|37|43|45|60|63|69|80|106|107|137|141|160|162|163"}[10m]) > 0
  or
    (nvidia_gpu_xid_errors_total{nvidia_xid_code!~"8|11|13|25|31|32|37|43|45|60|63|69|80|106|107|137|141|160|162|163"} > 0
      unless nvidia_gpu_xid_errors_total offset 10m)
)`,
		Title: Text{"The driver reports Xid {{ $labels.nvidia_xid_code }}", "驱动上报 Xid {{ $labels.nvidia_xid_code }}"},
		Look: Text{
			"The log record of the event says what the code means and who should act. Drain the GPU if it is fatal",
			"该事件的日志说明含义与处理人；致命错误应先排空该 GPU",
		},
	},
	{
		Name: "InferenceGPUNotHealthy", Severity: P1, Cause: true, For: time.Minute, Unit: Number, About: aGPU,
		Limit: Text{"ok", "ok"},
		Expr:  `max by (hw_id, hw_name, hw_state) (hw_status{hw_type="gpu", hw_state!="ok"}) == 1`,
		Title: Text{"A GPU is {{ $labels.hw_state }}", "GPU 状态为 {{ $labels.hw_state }}"},
		Look: Text{
			"The collector's log and the kernel's; failed needs a reset or a replacement, predicted_failure one soon",
			"查看 Collector 与内核日志；failed 需重置或更换，predicted_failure 应尽快安排",
		},
	},
	{
		Name: "InferenceGPUThermalLimit", Severity: P1, Cause: true, For: 5 * time.Minute, Unit: Share, Threshold: 0.1, About: aGPU,
		Expr: `sum by (hw_id, hw_name, nvidia_gpu_clock_limit_reason) (
  rate(nvidia_gpu_clock_limited_time_seconds_total{nvidia_gpu_clock_limit_reason=~"sw_thermal|hw_thermal|hw_slowdown|hw_power_brake"}[5m])
) > $threshold`,
		Title: Text{"A GPU is held down by heat or its power supply ({{ $labels.nvidia_gpu_clock_limit_reason }})", "GPU 因过热或供电降频（{{ $labels.nvidia_gpu_clock_limit_reason }}）"},
		Look: Text{
			"Cooling, airflow, fans and power supply of the host; the value is the share of the time",
			"检查主机散热、风道、风扇与电源；数值为降频时间占比",
		},
	},
	{
		Name: "InferenceGPUPowerLimit", Severity: P2, Cause: true, For: 15 * time.Minute, Unit: Share, Threshold: 0.9, About: aGPU,
		// Usual under full load: worth a word only while somebody waits too long.
		Expr: `sum by (hw_id, hw_name) (
  rate(nvidia_gpu_clock_limited_time_seconds_total{nvidia_gpu_clock_limit_reason="sw_power_cap"}[5m])
) > $threshold
and on () count(model:inference_latency_seconds:p99_rate5m
  > on ($id, slo) model:inference_slo_threshold_seconds{level="objective"}) > 0`,
		Title: Text{"A GPU runs at its power limit while latency is over its objective", "延迟超标且 GPU 受功率上限限制"},
		Look: Text{
			"The limit (nvidia_gpu_power_limit_watts) against that of its kind; raise it, or spread the load",
			"将功率上限与同型号对比；提高上限或分散负载",
		},
	},
	{
		Name: "InferenceStreamBuffered", Severity: P2, Cause: true, For: 10 * time.Minute, Unit: Share, Threshold: 0.05, About: aModel,
		Expr: `sum by ($id) (rate(inference_stream_buffered_total[10m]))
/ (sum by ($id) (rate(inference_call_duration_seconds_count{inference_role="client"}[10m])) > 0)
> $threshold
and sum by ($id) (increase(inference_call_duration_seconds_count{inference_role="client"}[10m])) >= $min`,
		Title: Text{"Something between caller and engine holds streams back", "中间代理缓冲了流式输出"},
		Look: Text{
			"Buffering of the proxies in between (nginx: proxy_buffering off), compression, a filter that reads whole answers",
			"检查中间代理的缓冲（nginx：proxy_buffering off）、压缩及读取完整响应的过滤器",
		},
	},
	{
		Name: "InferenceTruncated", Severity: P2, Cause: true, For: 30 * time.Minute, Unit: Share, Threshold: 0.1, About: aModel,
		Expr: `sum by ($id) (rate(inference_request_finished_total{inference_finish_reason="length"}[30m]))
/ (sum by ($id) (rate(inference_request_finished_total[30m])) > 0)
> $threshold
and sum by ($id) (increase(inference_request_finished_total[30m])) >= $min`,
		Title: Text{"Answers are cut off at the length limit", "回答因长度上限被截断"},
		Look: Text{
			"max_tokens of the clients and the context of the model; loops make answers long, and long answers hold GPUs",
			"检查客户端 max_tokens 与模型上下文；重复循环会使回答变长并占用 GPU",
		},
	},
	{
		Name: "InferenceModelLoaded", Severity: P2, Cause: true, Unit: Seconds, About: anEngine,
		Limit: Text{"within 15 minutes", "15 分钟内"},
		Expr: `inference_server_model_load_duration_seconds
and (
    changes(inference_server_model_load_duration_seconds[15m]) > 0
  or
    (inference_server_model_load_duration_seconds unless inference_server_model_load_duration_seconds offset 15m)
)
and on (inference_model_name) (model:inference_latency_seconds:p99_rate5m
  > on ($id, slo) model:inference_slo_threshold_seconds{level="objective"})`,
		Title: Text{"A model was loaded while latency is over its objective", "模型刚刚加载，且延迟超标"},
		Look: Text{
			"Cold caches and compilation pass; if it is loaded again and again, look for restarts and evictions. The value is the time that loading took",
			"冷缓存与编译会自行恢复；若反复加载，检查重启与驱逐。数值为加载耗时",
		},
	},
}
