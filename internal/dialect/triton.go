package dialect

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

var tritonMarks = map[string]Mark{
	"HTTP_RECV_START":      MarkReceiveStart,
	"HTTP_RECV_END":        MarkReceiveEnd,
	"GRPC_WAITREAD_END":    MarkReceiveStart, // before it Triton waited for a request to come
	"HTTP_SEND_END":        MarkSendEnd,
	"GRPC_SEND_END":        MarkSendEnd,
	"QUEUE_START":          MarkQueueStart,
	"COMPUTE_START":        MarkComputeStart,
	"COMPUTE_INPUT_END":    MarkInputEnd,
	"COMPUTE_OUTPUT_START": MarkOutputStart,
	"COMPUTE_END":          MarkComputeEnd,
}

// readTriton reads NVIDIA Triton's three spans: InferRequest with the events of
// receiving and sending, one named after the model, with the start of its
// queue, and compute. The model of an ensemble, or one that calls others, has
// spans of models below it and is no call itself.
//
// Source: server/src/tracer.cc, core/src/infer_request.cc and
// docs/user_guide/trace.md. A stream over HTTP completes several responses, the
// first of which is the first token.
func readTriton(s *source, f *Facts) bool {
	engine := s.scope == "triton-server"
	model, isModel := s.span.Attributes().Get("triton.model_name")
	if !engine && !isModel && s.name != "InferRequest" {
		return false
	}
	marks := readMarks(s)
	switch {
	case s.name == "InferRequest" && (engine || marks != nil):
		f.Part, f.Details = PartRequest, callDetails(s)
	case marks != nil && marks.At[MarkComputeStart] != 0 && marks.At[MarkQueueStart] == 0:
		f.Part, f.Details = PartInside, callDetails(s)
	case isModel && model.AsString() != "":
		d := callDetails(s)
		d.Role, d.StandIn = inference.RoleServer, true
		f.Part, f.Details = PartCall, d
	default:
		return engine // custom spans of back ends are details
	}
	f.Details.Marks = marks
	return true
}

// readMarks returns the events of a span as marks, nil if it has none.
func readMarks(s *source) *Marks {
	var m *Marks
	var first int64
	responses := 0
	for _, e := range s.span.Events().All() {
		mark, known := tritonMarks[e.Name()]
		at := int64(e.Timestamp())
		switch {
		case at < firstPlausible:
		case known:
			if m == nil {
				m = &Marks{}
			}
			m.At[mark] = at
		case e.Name() == "INFER_RESPONSE_COMPLETE":
			if responses++; responses == 1 {
				first = at
			}
		}
	}
	if m != nil && responses > 1 {
		m.FirstResponse = first
	}
	return m
}
