package dashboards

func slow() Dashboard {
	return Dashboard{
		UID: "inference-slow", Title: "Why is it slow",
		Description: "Five steps, from above: more work? All requests or a few? Which phase? Which resource? What do the logs say? Stop where a step answers.",
		Logs:        logsOfModel,
		Variables:   []Variable{prometheus, lokis, environment, service, model, version, gpu},
		Rows: []Row{
			{Title: "1. Is there more work than before?", Panels: []Panel{
				{Title: "Requests", Unit: "reqps", Description: "Requests that ended per second, now and a day ago. More of them: it is load, look at step 4 for what is full.", Queries: []Query{
					line("now", `sum(rate(inference_request_duration_seconds_count{@request}[@i]))`),
					dashed("a day ago", `sum(rate(inference_request_duration_seconds_count{@request}[@i] offset 1d))`),
				}},
				{Title: "Concurrency", Unit: "short", Description: "Requests that were open at a time, on average (rate times duration), and those that engines hold. Rising with a steady rate: each one takes longer.", Queries: []Query{
					line("open requests", `sum(rate(inference_request_duration_seconds_sum{@request}[@i]))`),
					line("running in engines", `sum(inference_server_requests_running{@server})`),
					dashed("waiting in engines", `sum(inference_server_requests_waiting{@server})`),
				}},
				{Title: "Work per request", Unit: "short", Description: "Mean tokens of a request. More tokens make slower requests and are no fault: compare time per output token in step 3.", Queries: []Query{line("{{gen_ai_token_type}}", mean("inference_token_usage", "@request", "gen_ai_token_type"))}},
			}},
			{Title: "2. Are all requests slow, or a few?", Panels: []Panel{
				{Title: "Half of them, and the slowest", Unit: "s", Width: 12, Description: "p50 and p99 of successful requests. Both up: everything is slow, a resource is short. p99 alone: some requests are, such as long prompts, one bad replica, one preempted.", Queries: []Query{
					line("p50", quantile(0.5, "inference_request_duration_seconds", "@ok")),
					line("p99", quantile(0.99, "inference_request_duration_seconds", "@ok")),
				}},
				{Title: "p99 by engine and service", Unit: "s", Width: 12, Description: "p99 of successful requests by who serves them: is it one of them?", Queries: []Query{line("{{service_name}} {{inference_model_name}} {{inference_engine}}", quantile(0.99, "inference_request_duration_seconds", "@ok", "service_name", "inference_model_name", "inference_engine"))}},
			}},
			{Title: "3. Which phase is it?", Panels: []Panel{
				{Title: "Phases p95", Unit: "s", Width: 12, Description: "95 % of the successful calls spent no longer in each phase. Points are single calls: click one near the top for its trace.", Queries: []Query{line("{{inference_phase}}", quantile(0.95, "inference_phase_duration_seconds", ofServer, "inference_phase"))}},
				{Title: "Mean time by phase", Unit: "s", Width: 12, Description: "Mean time of a successful call in each phase. queue: not enough engines. preprocess, postprocess: CPU. inference: the GPU, or longer texts. other: no span explains it.", Queries: []Query{line("{{inference_phase}}", mean("inference_phase_duration_seconds", ofServer, "inference_phase"))}},
				{Title: "Prefill and decode p95", Unit: "s", Description: "Prefill grows with prompts, decode with answers and batch. kv_transfer: the network between engines.", Queries: []Query{line("{{inference_subphase}}", quantile(0.95, "inference_subphase_duration_seconds", "@ok", "inference_subphase"))}},
				{Title: "Per token", Unit: "s", Description: "Time per output token of a successful call: the speed of decode, without the length of answers.", Queries: quantiles("inference_call_time_per_output_token_seconds", ofServer)},
				{Title: "Between the layers", Unit: "s", Description: "Mean time in gateways, and on the way between a caller and the engine. No line: no span of a layer above was seen.", Queries: []Query{line("{{service_name}} {{inference_hop}}", mean("inference_hop_duration_seconds", "@request", "service_name", "inference_hop"))}},
			}},
			{Title: "4. Which resource is short?", Panels: shortOf()},
			{Title: "5. What do the logs say?", Panels: []Panel{
				{Title: "Lines by level", Unit: "short", Kind: LogBars, Description: "Log lines of the service and model, by severity.", Queries: []Query{line("{{level}}", `sum by (level) (count_over_time(@logs[$__auto]))`)}},
				{Title: "Requests by slowest phase", Unit: "short", Kind: LogBars, Description: "Log lines that log_correlation joined to their request, by the phase that took the most of it.", Queries: []Query{line("{{slowest_phase}}", `sum by (slowest_phase) (count_over_time(@logs | slowest_phase!="" [$__auto]))`)}},
				{Title: "Waited more than a second in the queue", Unit: "short", Kind: LogBars, Description: "Log lines of requests with more than a second in the queue. Fields to ask for: queue_time_ms, ttft_ms, total_time_ms, input_tokens, output_tokens, engine, trace_id.", Queries: []Query{line("{{model_name}}", `sum by (model_name) (count_over_time(@logs | queue_time_ms > 1000 [$__auto]))`)}},
				{Title: "Warnings, errors, and requests above ten seconds", Unit: "short", Kind: LogLines, Width: 24, Description: "Open a line for its fields; the link beside trace_id leads to its trace.", Queries: []Query{line("", `@logs | level=~"warn|error|fatal" or total_time_ms > 10000`)}},
			}},
		},
	}
}

func shortOf() []Panel {
	return []Panel{
		{Title: "GPU", Unit: "percentunit", Width: 6, Max: 1, Description: "Mean of the chosen GPUs. Busy with a low SM: small batches. All low while requests wait: the GPU is not what they wait for.", Queries: []Query{
			line("busy", `avg(hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"})`),
			line("SM", `avg(nvidia_gpu_sm_utilization_ratio{@gpu})`),
			line("tensor", `avg(nvidia_gpu_pipe_utilization_ratio{@gpu, nvidia_gpu_pipe="tensor"})`),
			line("memory bandwidth", `avg(nvidia_gpu_dram_bandwidth_utilization_ratio{@gpu})`),
		}},
		{Title: "GPU held back", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of the time in which a GPU ran below its clock, by why. Thermal: cooling. Power: its limit.", Empty: "nothing holds them back", Queries: []Query{line("{{nvidia_gpu_clock_limit_reason}}", `max by (nvidia_gpu_clock_limit_reason) (rate(nvidia_gpu_clock_limited_time_seconds_total{@gpu}[@i])) > 0`)}},
		{Title: "KV cache", Unit: "percentunit", Width: 6, Max: 1, Description: "Fullest KV cache, and the share of prompt tokens found in the prefix cache. Full: requests wait or are preempted.", Queries: []Query{
			line("in use", `max(inference_server_kv_cache_usage_ratio{@server})`),
			dashed("prefix hits", `sum(rate(inference_server_prefix_cache_hits_total{@server}[@i]) and rate(inference_server_prefix_cache_queries_total{@server}[@i])) / (sum(rate(inference_server_prefix_cache_queries_total{@server}[@i])) > 0)`),
		}},
		{Title: "Preemptions", Unit: "reqps", Width: 6, Description: "Requests put back into the queue because the KV cache was full. Each is computed again. Any is too many.", Queries: []Query{line("{{inference_model_name}}", `sum by (inference_model_name) (rate(inference_server_preemptions_total{@server}[@i]))`)}},
		{Title: "Batch size", Unit: "short", Width: 6, Description: "Requests that are computed together. One, while requests wait: dynamic batching is lost.", Queries: []Query{
			line("of requests", mean("inference_batch_size", "@request")),
			line("of engines", `avg(inference_server_batch_size{@server})`),
			line("of Triton", `sum(rate(inference_server_batch_items_total{@server}[@i])) / (sum(rate(inference_server_batch_executions_total{@server}[@i])) > 0)`),
		}},
		{Title: "CPU throttling", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of periods in which containers were held back by their CPU limit, the ten worst. It makes preprocess and postprocess slow on an idle host. Needs the kubelet: overlays/agent-kubernetes.yaml.", Empty: "no CPU limits, or no kubelet is read", Queries: []Query{line("{{namespace}} {{pod}}", `topk(10, sum by (namespace, pod) (rate(container_cpu_cfs_throttled_periods_total{container!=""}[@i])) / (sum by (namespace, pod) (rate(container_cpu_cfs_periods_total{container!=""}[@i])) > 0))`)}},
		{Title: "CPU of engines", Unit: "short", Width: 6, Description: "CPUs that each engine's process uses, the ten busiest. Near a whole number and flat: one thread is the limit.", Queries: []Query{line("{{process_executable_name}} {{process_pid}}", `topk(10, sum by (instance, process_executable_name, process_pid) (rate(process_cpu_time_seconds_total{state=~"user|system"}[@i])))`)}},
		{Title: "Host", Unit: "percentunit", Width: 6, Max: 1, Description: "Busiest host: its CPUs, its memory without caches, and the time its busiest disk worked.", Queries: []Query{
			line("CPU", `max(1 - sum by (instance) (rate(system_cpu_time_seconds_total{state=~"idle|wait"}[@i])) / (sum by (instance) (rate(system_cpu_time_seconds_total[@i])) > 0))`),
			line("memory", `max(sum by (instance) (system_memory_usage_bytes{state="used"}) / sum by (instance) (system_memory_usage_bytes))`),
			line("disk", `max(rate(system_disk_io_time_seconds_total[@i]))`),
		}},
	}
}
