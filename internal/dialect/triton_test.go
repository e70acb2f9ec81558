package dialect

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Scenario: the events that Triton writes for one answer and for a stream, over
// HTTP and over gRPC, as milliseconds from the arrival.
// Guarantees: a stream has the time of its first response; what was answered at
// once has none, however often it says that it is complete.
func TestTritonFirstResponse(t *testing.T) {
	type event struct {
		name string
		at   time.Duration
	}
	const (
		complete = "INFER_RESPONSE_COMPLETE"
		http     = "HTTP_RECV_START"
		httpSend = "HTTP_SEND_START"
		grpc     = "GRPC_WAITREAD_END"
		grpcSend = "GRPC_SEND_START"
	)
	for name, test := range map[string]struct {
		events []event
		want   time.Duration // 0: none
	}{
		"infer":                 {[]event{{http, 0}, {complete, 900}, {httpSend, 901}}, 0},
		"generate, by callback": {[]event{{http, 0}, {complete, 900}, {complete, 980}, {httpSend, 0}}, 0},
		"generate_stream":       {[]event{{http, 0}, {complete, 90}, {httpSend, 0}, {complete, 900}, {httpSend, 0}}, 90},
		"generate_stream with an empty end, its client gone": {[]event{{http, 0}, {complete, 90}, {complete, 500}, {complete, 900}}, 90},
		"ModelInfer":                {[]event{{grpc, 0}, {complete, 900}, {grpcSend, 901}}, 0},
		"stream":                    {[]event{{grpc, 0}, {complete, 90}, {grpcSend, 91}, {grpcSend, 500}, {grpcSend, 900}}, 90},
		"stream of two":             {[]event{{grpc, 0}, {complete, 90}, {grpcSend, 91}, {grpcSend, 120}}, 90},
		"stream of one":             {[]event{{grpc, 0}, {complete, 900}, {grpcSend, 901}}, 0},
		"stream of one and its end": {[]event{{grpc, 0}, {complete, 900}, {grpcSend, 901}, {grpcSend, 902}}, 0},
		"stream of nothing":         {[]event{{grpc, 0}, {complete, 900}}, 0},
		"first before the arrival":  {[]event{{grpc, 100}, {complete, 90}, {grpcSend, 200}, {grpcSend, 300}, {grpcSend, 900}}, 0},
		"first without a time":      {[]event{{grpc, 0}, {complete, -1}, {grpcSend, 200}, {grpcSend, 300}, {grpcSend, 900}}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			td, span := spanWith("InferRequest", nil)
			start := span.StartTimestamp()
			at := func(ms time.Duration) pcommon.Timestamp {
				if ms < 0 {
					return 0
				}
				return start + pcommon.Timestamp(ms*time.Millisecond)
			}
			for _, e := range test.events {
				to := span.Events().AppendEmpty()
				to.SetName(e.name)
				to.SetTimestamp(at(e.at))
			}
			marks := readOne(t, td).Details.Marks
			require.NotNil(t, marks)
			want := int64(0)
			if test.want != 0 {
				want = int64(at(test.want))
			}
			assert.Equal(t, want, marks.FirstResponse)
		})
	}
}
