package dashboards

// xids is how often each Xid came within a time. A series begins with its first error, so increase
// does not see that one: what was not there before counts as it is.
func xids(now, window string) string {
	return "(" + now + " unless nvidia_gpu_xid_errors_total{@gpu} offset " + window + ") or increase(nvidia_gpu_xid_errors_total{@gpu}[" + window + "])"
}

func gpus() Dashboard {
	card := func(unit, title, expr, description string, limit float64) Panel {
		return Panel{Title: title, Unit: unit, Width: 6, Max: limit, Description: description, Queries: []Query{line("{{gpu}} {{hw_name}}", tail(expr))}}
	}
	host := Variable{Name: "host", Label: "Collector", Description: "The agent that reads the GPUs, as Prometheus names its target.", Metric: "hw_gpu_memory_usage_bytes", Attribute: "instance"}
	ofHost := gpu
	ofHost.Metric += `{instance=~"$host"}`
	return Dashboard{
		UID: "inference-gpus", Title: "GPU fleet",
		Description: "Every GPU: is it there and well, does it work, is it held back, and does it earn its money?",
		// The receiver writes a record for each Xid.
		Logs:      `{service_name=~".+"} |= "Xid"`,
		Variables: []Variable{prometheus, lokis, host, ofHost},
		Rows: []Row{
			{Title: "The fleet now", Panels: []Panel{
				{Title: "GPUs", Unit: "short", Kind: Number, Width: 4, Steps: calm, Description: "GPUs that the driver shows, without those that are failed.", Queries: []Query{line("GPUs", `count(hw_status{@gpu, hw_type="gpu", hw_state="ok"} == 1)`)}},
				{Title: "Not well", Unit: "short", Kind: Number, Width: 4, Steps: wrong, Description: "GPUs that are degraded, failed, or about to.", Queries: []Query{line("GPUs", `sum(hw_status{@gpu, hw_state!="ok"})`)}},
				{Title: "Busy", Unit: "percentunit", Kind: Number, Width: 4, Steps: calm, Description: "Mean time with a kernel running.", Queries: []Query{line("Busy", `avg(hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"})`)}},
				{Title: "Idle, with memory held", Unit: "short", Kind: Number, Width: 4, Steps: []Step{{0, "green"}, {1, "yellow"}}, Description: "GPUs that did nothing for the chosen time while more than half of their memory was held: they are paid for nothing.", Queries: []Query{line("GPUs", `count((max_over_time(hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"}[$__range]) == 0) and on (instance, hw_id) (hw_gpu_memory_utilization_ratio{@gpu} > 0.5)) or vector(0)`)}},
				{Title: "Power", Unit: "watt", Kind: Number, Width: 4, Steps: calm, Description: "Power drawn by all chosen GPUs.", Queries: []Query{line("Power", `sum(hw_power_watts{@gpu})`)}},
				{Title: "Xid errors", Unit: "short", Kind: Number, Width: 4, Steps: wrong, Description: "Critical errors in the chosen time; the logs have each with its meaning.", Queries: []Query{line("Xid", "sum("+xids("last_over_time(nvidia_gpu_xid_errors_total{@gpu}[$__range])", "$__range")+") or vector(0)")}},
				{Title: "Cards", Unit: "percentunit", Kind: Table, Width: 24, Height: 7, Description: "Each GPU now. The UUID is what other panels shorten.", Queries: []Query{
					column("Index", "short", `nvidia_gpu_index{@gpu}`),
					line("Busy", `hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"}`),
					line("Memory", `hw_gpu_memory_utilization_ratio{@gpu}`),
					column("Power", "watt", `hw_power_watts{@gpu}`),
					column("Temperature", "celsius", `hw_temperature_celsius{@gpu, hw_sensor_location="gpu"}`),
				}},
			}},
			{Title: "Do they work?", Panels: []Panel{
				card("percentunit", "Busy", `hw_gpu_utilization_ratio{@gpu, hw_gpu_task="general"}`, "Time with a kernel running.", 1),
				card("percentunit", "SM", `nvidia_gpu_sm_utilization_ratio{@gpu}`, "Multiprocessors with work, on Hopper and newer.", 1),
				card("percentunit", "Tensor cores", `nvidia_gpu_pipe_utilization_ratio{@gpu, nvidia_gpu_pipe="tensor"}`, "Time in which tensor cores worked, on Hopper and newer.", 1),
				card("percentunit", "Memory bandwidth", `nvidia_gpu_dram_bandwidth_utilization_ratio{@gpu}`, "Memory bandwidth in use, on Hopper and newer.", 1),
				card("bytes", "Memory", `hw_gpu_memory_usage_bytes{@gpu}`, "Memory in use.", 0),
				card("percentunit", "Occupancy", `nvidia_gpu_sm_occupancy_ratio{@gpu}`, "Resident warps of those that fit, on Hopper and newer.", 1),
				card("Bps", "PCIe", `sum by (hw_id, hw_name) (rate(hw_gpu_io_bytes_total{@gpu}[@i]))`, "Bytes over PCIe, both ways: loading models, and offloaded caches.", 0),
				card("Bps", "NVLink", `sum by (hw_id, hw_name) (rate(nvidia_gpu_nvlink_io_bytes_total{@gpu}[@i]))`, "Bytes over NVLink, both ways: tensor parallelism.", 0),
			}},
			{Title: "Are they held back?", Panels: []Panel{
				card("percentunit", "Power of the limit", `hw_power_watts{@gpu} / on (instance, hw_id, hw_name) nvidia_gpu_power_limit_watts{@gpu}`, "At 100 % the GPU lowers its clocks.", 0),
				card("celsius", "Temperature", `hw_temperature_celsius{@gpu, hw_sensor_location="gpu"}`, "Of the chip.", 0),
				{Title: "Clocks held down", Unit: "percentunit", Width: 6, Max: 1, Description: "Share of the time in which something held the clocks of a GPU down, the worst GPU for each reason. Idle is not among them.", Empty: "nothing holds them down", Queries: []Query{line("{{nvidia_gpu_clock_limit_reason}}", `max by (nvidia_gpu_clock_limit_reason) (rate(nvidia_gpu_clock_limited_time_seconds_total{@gpu}[@i])) > 0`)}},
				card("hertz", "SM clock", `nvidia_gpu_clock_frequency_hertz{@gpu, nvidia_gpu_clock_domain="sm"}`, "Clock of the multiprocessors. Cards of one kind under the same load should have the same.", 0),
			}},
			{Title: "Are they well?", Panels: []Panel{
				{Title: "Memory errors", Unit: "short", Width: 6, Description: "ECC errors per interval. Uncorrected ones end what ran.", Empty: "none", Queries: []Query{line("{{error_type}} {{gpu}}", tail(`sum by (hw_id, error_type) (increase(hw_errors_total{@gpu}[@i])) > 0`))}},
				{Title: "Rows to be replaced", Unit: "short", Width: 6, Description: "Remapped memory rows that wait for a reset (pending), or could not be replaced (failed: replace the GPU).", Empty: "none", Queries: []Query{line("{{nvidia_gpu_memory_row_remap_state}} {{gpu}}", tail(`nvidia_gpu_memory_row_remap_state{@gpu} > 0`))}},
				{Title: "Link errors", Unit: "short", Width: 6, Description: "PCIe packets sent again, and NVLink errors, per interval. A few are normal, a rise is a cable or a slot.", Empty: "none", Queries: []Query{
					line("PCIe {{gpu}}", tail(`sum by (hw_id) (increase(nvidia_gpu_pcie_replays_total{@gpu}[@i])) > 0`)),
					dashed("NVLink {{gpu}}", tail(`sum by (hw_id) (increase(nvidia_gpu_nvlink_errors_total{@gpu}[@i])) > 0`)),
				}},
				{Title: "Xid by code", Unit: "short", Width: 6, Description: "Critical errors per interval. 79: the GPU fell off the bus. 48, 63, 64, 94, 95: memory. 13, 31, 43, 45: the program, mostly.", Empty: "none", Queries: []Query{line("Xid {{nvidia_xid_code}} {{gpu}}", tail("sum by (hw_id, nvidia_xid_code) ("+xids("nvidia_gpu_xid_errors_total{@gpu}", "@i")+") > 0"))}},
			}},
		},
	}
}
