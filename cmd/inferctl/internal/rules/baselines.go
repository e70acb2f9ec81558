package rules

import "time"

// baselines compare with the same hour of the past seven days.
var baselines = []Alert{
	{
		Name: "InferenceSuccessBelowBaseline", Severity: P1, For: 10 * time.Minute, Unit: Share, Threshold: 0.02, About: aModel,
		Limit: Text{"$threshold under the same hour of the past 7 days", "比过去 7 天同一时段低 $threshold"},
		Expr: `1 - avg_over_time(model:inference_request_errors:ratio_rate5m[30m])
  < 1 - model:inference_request_errors:ratio_baseline7d - $threshold
and model:inference_requests:increase30m >= $min`,
		Title: Text{"Fewer requests succeed than usual at this hour", "成功率低于往日同一时段"},
		Look: Text{
			"Errors by error_type and outcome, and what was rolled out since yesterday",
			"按 error_type 与 inference_outcome 查看错误，以及昨天以来的变更",
		},
	},
	{
		Name: "InferenceLatencyAboveBaseline", Severity: P2, For: 15 * time.Minute, Unit: Latency, Threshold: 1.5, About: aModel,
		Limit: Text{"$threshold × the same hour of the past 7 days", "过去 7 天同一时段的 $threshold 倍"},
		Expr: `avg_over_time(model:inference_latency_seconds:p95_rate5m[30m])
  > $threshold * model:inference_latency_seconds:p95_baseline7d
and model:inference_latency_requests:increase30m >= $min`,
		Title: Text{"p95 of {{ $labels.slo }} is higher than usual at this hour", "{{ $labels.slo }} 的 p95 高于往日同一时段"},
		Look: Text{
			"Phases against those of yesterday; prompt and output lengths; versions of model and engine",
			"与昨天对比各阶段耗时、输入输出长度、模型与引擎版本",
		},
	},
	{
		Name: "InferenceInputDrift", Severity: P2, Cause: true, For: time.Hour, Unit: Share, Threshold: 0.25, About: aModel,
		Expr: `max by ($id) (abs(
    model:inference_input_tokens:share_rate1h - model:inference_input_tokens:share_baseline7d
  )) > $threshold
and model:inference_input_requests:increase1h >= 5 * $min`,
		Title: Text{"Prompts have other lengths than usual at this hour", "输入长度分布与往日同一时段不同"},
		Look: Text{
			"The value is the largest difference of the cumulative shares (Kolmogorov-Smirnov). Longer prompts make prefill and TTFT longer and fill the KV cache: who sends them?",
			"数值为累计分布的最大差（KS 统计量）。输入变长会拉长 prefill 与 TTFT 并占满 KV 缓存：由谁发出？",
		},
	},
}
