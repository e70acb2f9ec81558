package dashboards

// rates are events per second of the collector's own, by labels.
func rates(legend, metric, by string) Query {
	return line(legend, `sum by (`+by+`) (rate(`+metric+`{@self}[@i]))`)
}

func self() Dashboard {
	instance := Variable{Name: "instance", Label: "Collector", Description: "A collector's page of its own metrics, port 8888 or 18888.", Metric: "otelcol_process_uptime", Attribute: "instance"}
	return Dashboard{
		UID: "inference-collector", Title: "The collector itself",
		Description: "Does the collector take everything, measure everything and deliver everything? From the pages of its own metrics.",
		Variables:   []Variable{prometheus, instance},
		Rows: []Row{
			{Title: "Is anything lost?", Panels: []Panel{
				{Title: "Up", Unit: "short", Kind: Number, Width: 4, Steps: calm, Description: "Collectors whose page of their own metrics answers.", Queries: []Query{line("up", `count(otelcol_process_uptime{@self})`)}},
				{Title: "Refused", Unit: "cps", Kind: Number, Width: 4, Steps: alarming, Description: "Spans, points and records per second that senders have to send again: memory_limiter, or a full queue. More gateways, or MEMORY_LIMIT_MIB.", Queries: []Query{line("refused", `(sum(rate(otelcol_receiver_refused_spans{@self}[@i])) or vector(0)) + (sum(rate(otelcol_receiver_refused_metric_points{@self}[@i])) or vector(0)) + (sum(rate(otelcol_receiver_refused_log_records{@self}[@i])) or vector(0))`)}},
				{Title: "Failed to send", Unit: "cps", Kind: Number, Width: 4, Steps: alarming, Description: "Spans, points and records per second that an exporter gave up. The log has the back-end's answer.", Queries: []Query{line("failed", `(sum(rate(otelcol_exporter_send_failed_spans{@self}[@i])) or vector(0)) + (sum(rate(otelcol_exporter_send_failed_metric_points{@self}[@i])) or vector(0)) + (sum(rate(otelcol_exporter_send_failed_log_records{@self}[@i])) or vector(0))`)}},
				{Title: "Incomplete requests", Unit: "percentunit", Kind: Number, Width: 4, Steps: failing, Decimals: 2, Description: "Share of requests whose own span never came. Agents may have different lists of gateways, or a service does not export.", Queries: []Query{line("incomplete", `sum(rate(otelcol_connector_span_phase_incomplete_requests{@self}[@i])) / (sum(rate(otelcol_connector_span_phase_incomplete_requests{@self}[@i])) + sum(rate(otelcol_connector_span_phase_closed_requests{@self}[@i])) > 0)`)}},
				{Title: "Logs without a trace", Unit: "percentunit", Kind: Number, Width: 4, Steps: []Step{{0, "green"}, {0.2, "yellow"}, {0.5, "red"}}, Description: "Share of the records with an id whose trace was not found: unmatched, ambiguous or evicted.", Queries: []Query{line("lost", `(sum(rate(otelcol_processor_log_correlation_records{@self, state=~"unmatched|ambiguous|evicted"}[@i])) or vector(0)) / (sum(rate(otelcol_processor_log_correlation_records{@self, state!="no_id"}[@i])) > 0)`)}},
				{Title: "Fullest queue", Unit: "percentunit", Kind: Number, Width: 4, Steps: filling, Description: "Of all exporters' queues. Full: senders are refused.", Queries: []Query{line("queue", `max(otelcol_exporter_queue_size{@self} / (otelcol_exporter_queue_capacity{@self} > 0))`)}},
			}},
			{Title: "What comes and what goes", Panels: []Panel{
				{Title: "Received", Unit: "cps", Description: "Spans, metric points and log records per second that receivers took.", Queries: []Query{
					rates("spans {{receiver}}", "otelcol_receiver_accepted_spans", "receiver"),
					rates("points {{receiver}}", "otelcol_receiver_accepted_metric_points", "receiver"),
					rates("records {{receiver}}", "otelcol_receiver_accepted_log_records", "receiver"),
				}},
				{Title: "Sent", Unit: "cps", Description: "Spans, metric points and log records per second that exporters delivered.", Queries: []Query{
					rates("spans {{exporter}}", "otelcol_exporter_sent_spans", "exporter"),
					rates("points {{exporter}}", "otelcol_exporter_sent_metric_points", "exporter"),
					rates("records {{exporter}}", "otelcol_exporter_sent_log_records", "exporter"),
				}},
				{Title: "Queues", Unit: "percentunit", Max: 1, Description: "How full the queue of each exporter is. It grows while a back-end is away or too slow.", Queries: []Query{line("{{instance}} {{exporter}} {{data_type}}", `otelcol_exporter_queue_size{@self} / (otelcol_exporter_queue_capacity{@self} > 0)`)}},
			}},
			selfRequests(),
			selfLogs(),
			{Title: "Sources, sampling and routing", Panels: []Panel{
				{Title: "Engines read", Unit: "cps", Width: 6, Description: "Data points of engines taken into the vocabulary, and those that were not, by why.", Queries: []Query{
					rates("{{engine}}", "otelcol_processor_engine_metrics_read_points", "engine"),
					rates("{{engine}} skipped: {{reason}}", "otelcol_processor_engine_metrics_skipped_points", "engine, reason"),
				}},
				{Title: "GPU driver", Unit: "short", Width: 6, Description: "GPUs that the driver shows; calls that failed and GPUs that could not be read, per interval.", Queries: []Query{
					line("GPUs", `sum(otelcol_receiver_nvml_gpus{@self})`),
					line("failed {{call}} {{return}}", `sum by (call, return) (increase(otelcol_receiver_nvml_call_failures{@self}[@i]))`),
					line("unread", `sum(increase(otelcol_receiver_nvml_unread_gpus{@self}[@i]))`),
				}},
				{Title: "Traces kept by the sampler", Unit: "cps", Width: 6, Description: "Traces that gateways kept and left out. Metrics are counted before.", Empty: "nothing is sampled here", Queries: []Query{
					line("{{sampled}}", `sum by (sampled) (rate(otelcol_processor_tail_sampling_global_count_traces_sampled{@self}[@i]))`),
					line("dropped too early", `sum(rate(otelcol_processor_tail_sampling_sampling_trace_dropped_too_early{@self}[@i]))`),
				}},
				{Title: "Agents to gateways", Unit: "cps", Width: 6, Description: "What agents hand to each gateway, by whether it was taken.", Empty: "no agent is here", Queries: []Query{rates("{{endpoint}} {{success}}", "otelcol_loadbalancer_backend_outcome", "endpoint, success")}},
			}},
			{Title: "The process", Panels: []Panel{
				{Title: "CPU", Unit: "short", Description: "CPUs that each collector uses.", Queries: []Query{line("{{instance}}", `rate(otelcol_process_cpu_seconds{@self}[@i])`)}},
				{Title: "Memory", Unit: "bytes", Description: "Memory of the process, and its heap, which memory_limiter limits.", Queries: []Query{
					line("{{instance}} process", `otelcol_process_memory_rss{@self}`),
					dashed("{{instance}} heap", `otelcol_process_runtime_heap_alloc_bytes{@self}`),
				}},
				{Title: "Uptime", Unit: "s", Description: "It falls to zero at a restart. What a collector held in memory then is counted elsewhere as incomplete.", Queries: []Query{line("{{instance}}", `otelcol_process_uptime{@self}`)}},
			}},
		},
	}
}

func selfRequests() Row {
	return Row{Title: "Requests (span_phase connector)", Panels: []Panel{
		{Title: "Closed requests", Unit: "reqps", Width: 6, Description: "Requests observed, by why they closed. idle, max_age: spans are missing. evicted: max_traces is too small.", Queries: []Query{rates("{{reason}}", "otelcol_connector_span_phase_closed_requests", "reason")}},
		{Title: "Held in memory", Unit: "short", Width: 6, Description: "Traces that wait for spans, and closed ones that are remembered.", Queries: []Query{
			line("open traces", `sum(otelcol_connector_span_phase_open_traces{@self})`),
			line("open spans", `sum(otelcol_connector_span_phase_open_spans{@self})`),
			line("tombstones", `sum(otelcol_connector_span_phase_tombstones{@self})`),
		}},
		{Title: "Series", Unit: "short", Width: 6, Description: "Series that the connector exports. Near max_series, further ones become one.", Queries: []Query{line("{{instance}}", `sum by (instance) (otelcol_connector_span_phase_series{@self})`)}},
		{Title: "Not as it should be", Unit: "cps", Width: 6, Description: "Per second: values that cannot be right, spans that came twice or were refused, traces evicted, requests that grew late, observations beyond a limit, and flushes that failed. Empty is well.", Empty: "nothing is wrong", Queries: []Query{
			line("dropped: {{reason}}", `sum by (reason) (rate(otelcol_connector_span_phase_dropped_values{@self}[@i])) > 0`),
			line("refused: {{reason}}", `sum by (reason) (rate(otelcol_connector_span_phase_refused_spans{@self}[@i])) > 0`),
			line("evicted: {{kind}}", `sum by (kind) (rate(otelcol_connector_span_phase_evicted_traces{@self}[@i])) > 0`),
			line("limited: {{reason}}", `sum by (reason) (rate(otelcol_connector_span_phase_limited_observations{@self}[@i])) > 0`),
			line("duplicates", `sum(rate(otelcol_connector_span_phase_duplicate_spans{@self}[@i])) > 0`),
			line("late requests", `sum(rate(otelcol_connector_span_phase_late_requests{@self}[@i])) > 0`),
			line("failed flushes", `sum(rate(otelcol_connector_span_phase_failed_flushes{@self}[@i])) > 0`),
		}},
	}}
}

func selfLogs() Row {
	return Row{Title: "Logs (log_correlation, loki)", Panels: []Panel{
		{Title: "Records by state", Unit: "cps", Width: 6, Description: "Log records by how they left log_correlation.", Queries: []Query{rates("{{state}}", "otelcol_processor_log_correlation_records", "state")}},
		{Title: "Wait for the trace", Unit: "s", Width: 6, Description: "How long held records waited for their trace.", Queries: quantiles("otelcol_processor_log_correlation_wait_time", "@self")},
		{Title: "Entries sent to Loki", Unit: "cps", Width: 6, Description: "Log entries by how their sending ended, and why.", Queries: []Query{rates("{{outcome}} {{cause}}", "otelcol_exporter_loki_entries", "outcome, cause")}},
		{Title: "Push to Loki", Unit: "s", Width: 6, Description: "How long pushes took.", Queries: quantiles("otelcol_exporter_loki_push_duration", "@self")},
	}}
}
