package dialect

import "go.opentelemetry.io/collector/pdata/ptrace"

// isGateway reports whether a span is that of a whole request at a router or at
// an external processor, which Envoy asks and does not call through. Where its
// caller's context is handed on to the engine as it came, the engine's span lies
// beside it and not below.
//
// Source: vllm-project/production-stack, src/vllm_router (router <path>);
// llm-d-inference-scheduler and gateway-api-inference-extension
// (gateway.request, llm_d.pd_proxy.request); otelgrpc for other processors.
func isGateway(s *source) bool {
	if s.span.Kind() != ptrace.SpanKindServer {
		return false
	}
	switch s.name {
	case extProc, "gateway.request", "llm_d.pd_proxy.request":
		return true
	}
	return s.scope == "vllm-router"
}
