package ids

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFieldOf(t *testing.T) {
	for name, want := range map[string]Field{
		"trace_id":                             {RoleTrace, KindPlain, 0},
		"TRACE_ID":                             {RoleTrace, KindPlain, 0},
		"trace-id":                             {RoleTrace, KindPlain, 0},
		"traceId":                              {RoleTrace, KindPlain, 1},
		"traceID":                              {RoleTrace, KindPlain, 1},
		"TraceId":                              {RoleTrace, KindPlain, 1},
		"traceid":                              {RoleTrace, KindPlain, 1},
		"trace.id":                             {RoleTrace, KindPlain, 2},
		"otelTraceID":                          {RoleTrace, KindOTel, 3},
		"otel_trace_id":                        {RoleTrace, KindOTel, 3},
		"traceparent":                          {RoleTrace, KindTraceparent, 4},
		"Traceparent":                          {RoleTrace, KindTraceparent, 4},
		"http.request.header.traceparent":      {RoleTrace, KindTraceparent, 4},
		"logging.googleapis.com/trace":         {RoleTrace, KindGCP, 5},
		"dd.trace_id":                          {RoleTrace, KindDatadog, 6},
		"x-datadog-trace-id":                   {RoleTrace, KindDatadog, 6},
		"X-B3-TraceId":                         {RoleTrace, KindB3, 7},
		"b3":                                   {RoleTrace, KindB3Single, 7},
		"uber-trace-id":                        {RoleTrace, KindUber, 8},
		"X-Amzn-Trace-Id":                      {RoleTrace, KindXRay, 9},
		"_X_AMZN_TRACE_ID":                     {RoleTrace, KindXRay, 9},
		"AWS-XRAY-TRACE-ID":                    {RoleTrace, KindXRay, 9},
		"operation_Id":                         {RoleTrace, KindAzure, 10},
		"OperationId":                          {RoleTrace, KindAzure, 10},
		"X-Cloud-Trace-Context":                {RoleTrace, KindCloudTrace, 11},
		"tid":                                  {RoleTrace, KindSpanLogs, 12},
		"span_id":                              {RoleSpan, KindPlain, 0},
		"spanId":                               {RoleSpan, KindPlain, 1},
		"span.id":                              {RoleSpan, KindPlain, 2},
		"otelSpanID":                           {RoleSpan, KindPlain, 3},
		"logging.googleapis.com/spanId":        {RoleSpan, KindPlain, 5},
		"dd.span_id":                           {RoleSpan, KindDatadog, 6},
		"X-B3-SpanId":                          {RoleSpan, KindB3, 7},
		"trace_flags":                          {RoleFlags, KindPlain, 0},
		"otelTraceSampled":                     {RoleFlags, KindSampled, 1},
		"logging.googleapis.com/trace_sampled": {RoleFlags, KindSampled, 2},
		"X-B3-Sampled":                         {RoleFlags, KindSampled, 4},
		"request_id":                           {Role: RoleRequest},
		"requestId":                            {Role: RoleRequest},
		"request.id":                           {Role: RoleRequest},
		"req_id":                               {Role: RoleRequest, Rank: 1},
		"reqid":                                {Role: RoleRequest, Rank: 1},
		"rid":                                  {Role: RoleRequest, Rank: 2},
		"x_request_id":                         {Role: RoleRequest, Rank: 3},
		"X-Request-Id":                         {Role: RoleRequest, Rank: 3},
		"http.request.header.x-request-id":     {Role: RoleRequest, Rank: 3},
		"http.response.header.x-request-id":    {Role: RoleRequest, Rank: 3},
		"http.request_id":                      {Role: RoleRequest, Rank: 4},
		"gen_ai.request.id":                    {Role: RoleRequest, Rank: 5},
		"gen_ai.response.id":                   {Role: RoleRequest, Rank: 6},
		"call_id":                              {Role: RoleRequest, Rank: 7},
		"litellm_call_id":                      {Role: RoleRequest, Rank: 8},
		"x-litellm-call-id":                    {Role: RoleRequest, Rank: 9},
		"correlation_id":                       {Role: RoleRequest, Rank: 10},
		"x_correlation_id":                     {Role: RoleRequest, Rank: 11},
		"invocation_id":                        {Role: RoleRequest, Rank: 12},
		"operation_id":                         {Role: RoleRequest, Rank: 13},
		"operationId":                          {Role: RoleRequest, Rank: 13},
	} {
		got, ok := FieldOf(name)
		assert.True(t, ok, name)
		assert.Equal(t, want, got, name)
	}
}

func TestFieldOfOthers(t *testing.T) {
	for _, name := range []string{
		"", "id", "trace", "span", "transaction.id", "parent_span_id", "my_trace_id", "trace_ids", "gen_ai.tool.call.id",
		"ai.operationId", "thread_id", "traceïd", "http.request.header.", "http.request.method", strings.Repeat("trace_id", 100),
	} {
		_, ok := FieldOf(name)
		assert.False(t, ok, name)
	}
}

func TestFieldNamesAreFolded(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		assert.LessOrEqual(t, len(name), longestField, name)
		got, ok := FieldOf("__" + strings.ToUpper(name))
		assert.True(t, ok, name)
		assert.Equal(t, fields[name], got, name)
	}
}
