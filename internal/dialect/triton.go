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
// docs/user_guide/trace.md; of what a stream writes, see tritonReplies.
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
	var replies tritonReplies
	for _, e := range s.span.Events().All() {
		mark, known := tritonMarks[e.Name()]
		at := int64(e.Timestamp())
		replies.add(e.Name(), at)
		if known && at >= firstPlausible {
			if m == nil {
				m = &Marks{}
			}
			m.At[mark] = at
		}
	}
	if m != nil {
		m.FirstResponse = replies.firstToken(m.At[MarkReceiveStart])
	}
	return m
}

// tritonReplies is what a request's events say of its responses.
//
// A unary call writes INFER_RESPONSE_COMPLETE and SEND_START once, but for
// /generate with a model that answers by callback, which completes twice: the
// answer, and the word that it was the last. A stream over HTTP completes each
// response, one over gRPC only the first; both send each. A model that answers
// once over a gRPC stream sends once, or twice where the client asked to be
// told the end by a response of its own: then the second follows at once.
//
// Source: server/src/grpc/infer_handler.cc and .h, stream_infer_handler.cc and
// http_server.cc (GenerateRequestClass).
type tritonReplies struct {
	completed, sentHTTP, sentGRPC int
	first, last                   int64 // the first completed, and the last of any
}

func (r *tritonReplies) add(event string, at int64) {
	switch event {
	case "INFER_RESPONSE_COMPLETE":
		if r.completed++; at >= firstPlausible && (r.first == 0 || at < r.first) {
			r.first = at
		}
	case "HTTP_SEND_START":
		r.sentHTTP++
		return // of a stream its time is not set
	case "GRPC_SEND_START":
		r.sentGRPC++
	default:
		return
	}
	r.last = max(r.last, at)
}

// endingShare is the part of a request, at its end, in which a second response
// is the end of the first.
const endingShare = 0.01

// firstToken returns when the first of several responses was complete, 0 where
// there was but one.
func (r *tritonReplies) firstToken(arrived int64) int64 {
	switch {
	case r.first < firstPlausible || r.first < arrived:
		return 0
	case r.completed > 2 || r.sentHTTP > 1 || r.sentGRPC > 2:
		return r.first
	case r.sentGRPC == 2 && float64(r.last-r.first) > endingShare*float64(r.last-arrived):
		return r.first
	}
	return 0
}
