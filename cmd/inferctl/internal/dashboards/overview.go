package dashboards

// From what on a share of failures, or of what is used, is worth a look.
var (
	failing = []Step{{0, "green"}, {0.01, "yellow"}, {0.05, "red"}}
	filling = []Step{{0, "green"}, {0.8, "yellow"}, {0.95, "red"}}
	left    = []Step{{-1e9, "red"}, {0, "yellow"}, {0.25, "green"}}
	wrong   = []Step{{0, "green"}, {1, "red"}}
	calm    = []Step{{0, "blue"}}
	// Per second: a few are no accident.
	alarming = []Step{{0, "green"}, {0.01, "yellow"}, {1, "red"}}
)

const failedShare = `(sum(rate(inference_request_duration_seconds_count{@request, inference_outcome!="ok"}[@i])) or vector(0)) / (sum(rate(inference_request_duration_seconds_count{@request}[@i])) > 0)`

func overview() Dashboard {
	return Dashboard{
		UID: "inference-overview", Title: "Inference overview",
		Description: "Is latency high now, and where in the request is it? Traffic and objectives, what the machines do, and what happens inside the model.",
		Logs:        logsOfModel,
		Variables:   []Variable{prometheus, lokis, environment, service, model, version, gpu, requestSLO, ttftSLO, objective},
		Rows: []Row{
			{Title: "Traffic and objectives", Panels: []Panel{
				{Title: "Requests", Unit: "reqps", Kind: Number, Width: 4, Steps: calm, Description: "Requests that ended, per second, however they ended.", Queries: []Query{line("Requests", `sum(rate(inference_request_duration_seconds_count{@request}[@i]))`)}},
				{Title: "Request p95", Unit: "s", Kind: Number, Width: 4, Steps: calm, Description: "95 % of the successful requests took no longer.", Queries: []Query{line("p95", quantile(0.95, "inference_request_duration_seconds", "@ok"))}},
				{Title: "First token p95", Unit: "s", Kind: Number, Width: 4, Steps: calm, Description: "95 % of the successful requests had their first token by then. None: nothing streams, or no span says when the first token came.", Queries: []Query{line("p95", quantile(0.95, "inference_request_time_to_first_token_seconds", "@ok"))}},
				{Title: "Failed", Unit: "percentunit", Kind: Number, Width: 4, Steps: failing, Decimals: 2, Description: "Share of the requests that ended as error, timeout, rejected or aborted.", Queries: []Query{line("Failed", failedShare)}},
				{Title: "Within objective", Unit: "percentunit", Kind: Number, Width: 4, Steps: calm, Decimals: 2, Description: "Share of the successful requests of the chosen time that took no longer than the objective chosen above.", Queries: []Query{line("Requests", within("inference_request_duration_seconds", "slo_request", "$__range"))}},
				{Title: "Budget left", Unit: "percentunit", Kind: Number, Width: 4, Steps: left, Description: "What is left of the error budget of the chosen time: 100 % is all, below 0 the objective is missed. Choose the window of your objective as time, such as the last 30 days.", Queries: []Query{line("Requests", `1 - (1 - `+within("inference_request_duration_seconds", "slo_request", "$__range")+`) / (1 - $objective)`)}},
				{Title: "Requests by model", Unit: "reqps", Width: 6, Description: "Requests that ended, per second, by the model that answered.", Queries: []Query{line("{{inference_model_name}} {{inference_model_version}}", `sum by (inference_model_name, inference_model_version) (rate(inference_request_duration_seconds_count{@request}[@i]))`)}},
				{Title: "Request duration", Unit: "s", Width: 6, Description: "Time that a user waited for a successful request. Points are single requests: they lead to the trace.", Queries: quantiles("inference_request_duration_seconds", "@ok")},
				{Title: "Failures and retries", Unit: "percentunit", Width: 6, Description: "Share of the requests that failed, by how; and calls to a model after a failed one, per request. No line: there was none.", Queries: []Query{
					line("{{inference_outcome}}", `sum by (inference_outcome) (rate(inference_request_duration_seconds_count{@request, inference_outcome!="ok"}[@i])) / ignoring (inference_outcome) group_left () (sum(rate(inference_request_duration_seconds_count{@request}[@i])) > 0)`),
					dashed("retries", `sum(rate(inference_request_retries_total{@request}[@i])) / (sum(rate(inference_request_duration_seconds_count{@request}[@i])) > 0)`),
				}},
				{Title: "Objectives over time", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of the successful requests that met the objective for the whole request and for the first token, both chosen above. Exact, since objectives are bounds of the histograms.", Queries: []Query{
					line("request", within("inference_request_duration_seconds", "slo_request", "@i")),
					line("first token", within("inference_request_time_to_first_token_seconds", "slo_ttft", "@i")),
					dashed("objective", `vector($objective)`),
				}},
			}},
			{Title: "Resources and engine", Panels: resources()},
			{Title: "Inside the model", Panels: insideModel()},
		},
	}
}

func resources() []Panel {
	gpuPanel := func(title, metric, description string) Panel {
		return Panel{Title: title, Unit: "percentunit", Width: 6, Max: 1, Description: description, Queries: []Query{line("{{gpu}} {{hw_name}}", tail(metric))}}
	}
	return []Panel{
		gpuPanel("GPU busy", `hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"}`, "Time with at least one kernel running. 100 % may still be a mostly empty GPU: compare with the three beside it."),
		gpuPanel("GPU SM", `nvidia_gpu_sm_utilization_ratio{@gpu}`, "Multiprocessors with work, on Hopper and newer. Low while the GPU is busy: batches are small."),
		gpuPanel("GPU tensor cores", `nvidia_gpu_pipe_utilization_ratio{@gpu, nvidia_gpu_pipe="tensor"}`, "Time in which the tensor cores worked, on Hopper and newer. High in prefill, low in decode."),
		gpuPanel("GPU memory bandwidth", `nvidia_gpu_dram_bandwidth_utilization_ratio{@gpu}`, "Memory bandwidth in use, on Hopper and newer. Decode is bound by it: high here with low SM is as it should be."),
		gpuPanel("GPU memory", `hw_gpu_memory_utilization_ratio{@gpu}`, "Memory of the card in use. Engines reserve most of it at the start, so a flat 90 % is normal; the KV cache tells how much is free inside."),
		{Title: "KV cache", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of the KV cache in use, of each engine the fullest. At 100 % requests wait or are preempted.", Queries: []Query{line("{{inference_model_name}} {{exported_instance}}", `max by (inference_model_name, exported_instance) (inference_server_kv_cache_usage_ratio{@server})`)}},
		{Title: "Running and waiting", Unit: "short", Width: 6, Description: "Requests that engines compute, and that wait in their queues, now.", Queries: []Query{
			line("running", `sum(inference_server_requests_running{@server})`),
			line("waiting", `sum(inference_server_requests_waiting{@server})`),
		}},
		{Title: "Batch size", Unit: "short", Width: 6, Description: "Requests that are computed together: as spans say it, as engines do, and for Triton from its counters. One, while requests wait: batching is lost.", Queries: []Query{
			line("of requests", mean("inference_batch_size", "@request")),
			line("of engines", `avg(inference_server_batch_size{@server})`),
			line("of Triton", `sum(rate(inference_server_batch_items_total{@server}[@i])) / (sum(rate(inference_server_batch_executions_total{@server}[@i])) > 0)`),
		}},
		{Title: "CPU", Unit: "percentunit", Width: 6, Max: 1, Description: "CPUs of each host that are in use, waiting for disks apart. Tokenizing and detokenizing wait for them.", Queries: []Query{
			line("{{instance}}", `1 - sum by (instance) (rate(system_cpu_time_seconds_total{state=~"idle|wait"}[@i])) / (sum by (instance) (rate(system_cpu_time_seconds_total[@i])) > 0)`),
			dashed("{{instance}} waits for disks", `sum by (instance) (rate(system_cpu_time_seconds_total{state="wait"}[@i])) / (sum by (instance) (rate(system_cpu_time_seconds_total[@i])) > 0)`),
		}},
		{Title: "CPU throttling", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of periods in which a container was held back by its CPU limit, although the host may be idle. Needs the kubelet: overlays/agent-kubernetes.yaml.", Empty: "no CPU limits, or no kubelet is read", Queries: []Query{line("{{namespace}} {{pod}}", `topk(10, sum by (namespace, pod) (rate(container_cpu_cfs_throttled_periods_total{container!=""}[@i])) / (sum by (namespace, pod) (rate(container_cpu_cfs_periods_total{container!=""}[@i])) > 0))`)}},
		{Title: "Host memory", Unit: "percentunit", Width: 6, Max: 1, Description: "Memory of each host in use, without caches.", Queries: []Query{line("{{instance}}", `sum by (instance) (system_memory_usage_bytes{state="used"}) / sum by (instance) (system_memory_usage_bytes)`)}},
		{Title: "Network", Unit: "Bps", Width: 6, Description: "Bytes per second of each host, without its loopback.", Queries: []Query{
			line("{{instance}} in", `sum by (instance) (rate(system_network_io_bytes_total{direction="receive", device!="lo"}[@i]))`),
			dashed("{{instance}} out", `sum by (instance) (rate(system_network_io_bytes_total{direction="transmit", device!="lo"}[@i]))`),
		}},
	}
}

const ofServer = `@ok, inference_role="server"`

func insideModel() []Panel {
	return []Panel{
		{Title: "Phases p95", Unit: "s", Width: 8, Description: "95 % of the successful calls spent no longer in each phase, as the engine sees it. Points lead to traces.", Queries: []Query{line("{{inference_phase}}", quantile(0.95, "inference_phase_duration_seconds", ofServer, "inference_phase"))}},
		{Title: "Where the time goes", Unit: "percentunit", Kind: Shares, Width: 8, Description: "Share of each phase in the time of successful calls. other is what no span explains.", Queries: []Query{line("{{inference_phase}}", `sum by (inference_phase) (rate(inference_phase_duration_seconds_sum{`+ofServer+`}[@i])) / ignoring (inference_phase) group_left () (sum(rate(inference_phase_duration_seconds_sum{`+ofServer+`}[@i])) > 0)`)}},
		{Title: "Inference of the total", Unit: "percentunit", Width: 8, Max: 1, Description: "Share of the users' waiting in which a model computed. Low: the time is lost before or after it. Calls side by side in one request can bring it above 100 %.", Queries: []Query{line("{{inference_model_name}}", `sum by (inference_model_name) (rate(inference_phase_duration_seconds_sum{`+ofServer+`, inference_phase="inference"}[@i])) / (sum by (inference_model_name) (rate(inference_request_duration_seconds_sum{@ok}[@i])) > 0)`)}},
		{Title: "Time to first token", Unit: "s", Width: 6, Description: "From the start of a successful request to its first token: queue and prefill, mostly.", Queries: quantiles("inference_request_time_to_first_token_seconds", "@ok")},
		{Title: "Time per output token", Unit: "s", Width: 6, Description: "Mean time between tokens of a successful call, as the engine sees it: decode. It rises with the batch.", Queries: quantiles("inference_call_time_per_output_token_seconds", ofServer)},
		{Title: "Prompt length", Unit: "short", Width: 6, Description: "Input tokens of a request. Longer prompts make a longer prefill; bounds are powers of four, so steps are coarse.", Queries: quantiles("inference_token_usage", `@request, gen_ai_token_type="input"`)},
		{Title: "Output length", Unit: "short", Width: 6, Description: "Output tokens of a request. Longer answers make longer requests, and no engine is to blame.", Queries: quantiles("inference_token_usage", `@request, gen_ai_token_type="output"`)},
	}
}
