package dashboards

// both are quantiles of version A, and of B with dashes.
func both(series, matchers string) (list []Query) {
	for _, side := range []string{"A", "B"} {
		for _, q := range []struct {
			name string
			of   float64
		}{{"p50", 0.5}, {"p95", 0.95}} {
			list = append(list, Query{Legend: q.name + " " + side, Expr: quantile(q.of, series, "@"+side+matchers), Dashed: side == "B"})
		}
	}
	return list
}

// eachOf has the query for version A, and for B with dashes. @V stands for the matchers.
func eachOf(expr func(matchers string) string) []Query {
	return []Query{line("A", expr("@A")), dashed("B", expr("@B"))}
}

// change is how much larger B is than A.
func change(series, matchers string) []Query {
	of := func(side string) string {
		return "(" + quantile(0.95, series, side+matchers) + ")"
	}
	return []Query{line("p95", of("@B")+" / "+of("@A")+" - 1")}
}

func versions() Dashboard {
	single := model
	single.Single = true
	pick := func(name, label string) Variable {
		return Variable{
			Name: name, Label: label, Description: "A version of the model.", Single: true,
			Metric: ofRequests + `{service_name=~"$service", inference_model_name="$model"}`, Attribute: "inference_model_version",
		}
	}
	worse := []Step{{-1e9, "green"}, {0.05, "yellow"}, {0.2, "red"}}
	server := `, inference_role="server"`
	versionsOf := func(outcome string) func(string) string {
		return func(side string) string {
			version := map[string]string{"@A": "$version_a", "@B": "$version_b"}[side]
			return `sum(rate(inference_request_duration_seconds_count{@one, inference_model_version="` + version + `"` + outcome + `}[@i]))`
		}
	}
	all, failed := versionsOf(""), versionsOf(`, inference_outcome!="ok"`)
	lengths := func(kind string) []Query {
		return eachOf(func(side string) string {
			return mean("inference_token_usage", side+`, gen_ai_token_type="`+kind+`"`)
		})
	}
	return Dashboard{
		UID: "inference-versions", Title: "One model, two versions",
		Description: "Is version B as fast as version A, with the same work? A is drawn as a line, B with dashes.",
		Logs:        logsOfModel,
		Variables:   []Variable{prometheus, lokis, environment, service, single, pick("version_a", "Version A"), pick("version_b", "Version B")},
		Rows: []Row{
			{Title: "B against A, now", Panels: []Panel{
				{Title: "Request p95", Unit: "percentunit", Kind: Number, Width: 6, Steps: worse, Description: "How much longer requests of B take than those of A. Negative: they are faster.", Queries: change("inference_request_duration_seconds", "")},
				{Title: "First token p95", Unit: "percentunit", Kind: Number, Width: 6, Steps: worse, Description: "How much later the first token of B comes than that of A.", Queries: change("inference_request_time_to_first_token_seconds", "")},
				{Title: "Per token p95", Unit: "percentunit", Kind: Number, Width: 6, Steps: worse, Description: "How much slower B decodes than A.", Queries: change("inference_call_time_per_output_token_seconds", server)},
				{Title: "Failed", Unit: "percentunit", Kind: Number, Width: 6, Steps: []Step{{-1e9, "green"}, {0.001, "yellow"}, {0.01, "red"}}, Decimals: 2, Description: "Share of failed requests of B less that of A, in percentage points.", Queries: []Query{line("B - A", `(`+failed("@B")+` or vector(0)) / (`+all("@B")+` > 0) - (`+failed("@A")+` or vector(0)) / (`+all("@A")+` > 0)`)}},
			}},
			{Title: "Latency", Panels: []Panel{
				{Title: "Request duration", Unit: "s", Description: "Successful requests of both.", Queries: both("inference_request_duration_seconds", "")},
				{Title: "Time to first token", Unit: "s", Description: "Successful requests of both.", Queries: both("inference_request_time_to_first_token_seconds", "")},
				{Title: "Time per output token", Unit: "s", Description: "Successful calls of both, as the engine sees them.", Queries: both("inference_call_time_per_output_token_seconds", server)},
				{Title: "Queue", Unit: "s", Description: "Time in the engine's queue. Longer for one of them: it has too few replicas for its share of the traffic.", Queries: both("inference_phase_duration_seconds", server+`, inference_phase="queue"`)},
				{Title: "Inference", Unit: "s", Description: "Time in which the model computed.", Queries: both("inference_phase_duration_seconds", server+`, inference_phase="inference"`)},
				{Title: "Pre- and postprocess", Unit: "s", Description: "Mean time before and after the model: it changes with the tokenizer and the code, not with weights.", Queries: eachOf(func(side string) string {
					return mean("inference_phase_duration_seconds", side+server+`, inference_phase=~"preprocess|postprocess"`)
				})},
			}},
			{Title: "The same work?", Panels: []Panel{
				{Title: "Requests", Unit: "reqps", Width: 6, Description: "Requests that ended per second. Few of them: quantiles above jump.", Queries: eachOf(all)},
				{Title: "Failed", Unit: "percentunit", Width: 6, Description: "Share of the requests that failed.", Queries: eachOf(func(side string) string { return `(` + failed(side) + ` or vector(0)) / (` + all(side) + ` > 0)` })},
				{Title: "Prompt length", Unit: "short", Width: 6, Description: "Mean input tokens of a request. They differ: the two do not get the same traffic.", Queries: lengths("input")},
				{Title: "Output length", Unit: "short", Width: 6, Description: "Mean output tokens of a request. A version that talks more is slower per request and not per token.", Queries: lengths("output")},
				{Title: "Cut off", Unit: "percentunit", Width: 12, Description: "Share of the answers that ended at the length limit.", Queries: eachOf(func(side string) string {
					return `(sum(rate(inference_request_finished_total{` + side + `, inference_finish_reason="length"}[@i])) or vector(0)) / (sum(rate(inference_request_finished_total{` + side + `}[@i])) > 0)`
				})},
				{Title: "Batch size", Unit: "short", Width: 12, Description: "Mean number of requests computed together, where spans tell it.", Queries: eachOf(func(side string) string { return mean("inference_batch_size", side) })},
			}},
		},
	}
}
