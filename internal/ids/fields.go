package ids

import "strings"

// Role is what a field carries.
type Role uint8

// The roles.
const (
	RoleTrace   Role = iota // a trace id; read with ParseTrace
	RoleSpan                // a span id; read with ParseSpan
	RoleFlags               // trace flags; read with ParseFlags
	RoleRequest             // a request id; read with Rules.Parse
)

// Field is what the name of a field says about its value.
type Field struct {
	Role Role
	Kind Kind // has no meaning for a request id
	// Rank orders the fields of one role in a record: the lowest whose value
	// reads OK wins. A record's own TraceID and SpanID come before them all.
	Rank uint8
}

// rankShared is the rank from which on request ids may be those of several requests.
const rankShared = 10

// Shared reports whether a request id of this name may be that of several requests, as those of a
// session or of a business transaction.
func (f Field) Shared() bool { return f.Role == RoleRequest && f.Rank >= rankShared }

// fields is the one table of names, in lower case and without separators.
// Rank 0 of a trace or span id leaves room for ranks 1 and 2, see spelling.
var fields = map[string]Field{
	"traceid":                   {RoleTrace, KindPlain, 0},
	"oteltraceid":               {RoleTrace, KindOTel, 3}, // OpenTelemetry Python
	"traceparent":               {RoleTrace, KindTraceparent, 4},
	"elasticapmtraceparent":     {RoleTrace, KindTraceparent, 4},
	"logginggoogleapiscomtrace": {RoleTrace, KindGCP, 5},
	"ddtraceid":                 {RoleTrace, KindDatadog, 6},
	"xdatadogtraceid":           {RoleTrace, KindDatadog, 6},
	"xb3traceid":                {RoleTrace, KindB3, 7},
	"b3":                        {RoleTrace, KindB3Single, 7},
	"ubertraceid":               {RoleTrace, KindUber, 8},
	"xamzntraceid":              {RoleTrace, KindXRay, 9},
	"awsxraytraceid":            {RoleTrace, KindXRay, 9},
	"xraytraceid":               {RoleTrace, KindXRay, 9},
	"xcloudtracecontext":        {RoleTrace, KindCloudTrace, 11},
	"tid":                       {RoleTrace, KindSpanLogs, 12},

	"spanid":                     {RoleSpan, KindPlain, 0},
	"otelspanid":                 {RoleSpan, KindPlain, 3},
	"logginggoogleapiscomspanid": {RoleSpan, KindPlain, 5},
	"ddspanid":                   {RoleSpan, KindDatadog, 6},
	"xb3spanid":                  {RoleSpan, KindB3, 7},

	"traceflags":                       {RoleFlags, KindPlain, 0},
	"oteltracesampled":                 {RoleFlags, KindSampled, 1},
	"logginggoogleapiscomtracesampled": {RoleFlags, KindSampled, 2},
	"tracesampled":                     {RoleFlags, KindSampled, 3},
	"xb3sampled":                       {RoleFlags, KindSampled, 4},

	"requestid":      {Role: RoleRequest, Rank: 0},
	"reqid":          {Role: RoleRequest, Rank: 1},
	"rid":            {Role: RoleRequest, Rank: 2}, // SGLang
	"xrequestid":     {Role: RoleRequest, Rank: 3},
	"httprequestid":  {Role: RoleRequest, Rank: 4},
	"genairequestid": {Role: RoleRequest, Rank: 5}, // vLLM
	// What a client saw, chatcmpl-… of an engine, perhaps of another than the
	// one that logs.
	"genairesponseid": {Role: RoleRequest, Rank: 6},
	// On spans of Triton, production-stack, llm-d's proxy and RTP-LLM.
	"tritonrequestid":      {Role: RoleRequest, Rank: 5},
	"vllmrequestid":        {Role: RoleRequest, Rank: 5},
	"llmdpdproxyrequestid": {Role: RoleRequest, Rank: 5},
	"rtpllmrequestid":      {Role: RoleRequest, Rank: 5},
	"callid":               {Role: RoleRequest, Rank: 7},
	"litellmcallid":        {Role: RoleRequest, Rank: 8},
	"xlitellmcallid":       {Role: RoleRequest, Rank: 9},
	"correlationid":        {Role: RoleRequest, Rank: rankShared},
	"xcorrelationid":       {Role: RoleRequest, Rank: 11},
	"invocationid":         {Role: RoleRequest, Rank: 12},
	"operationid":          {Role: RoleRequest, Rank: 13},
}

const longestField = len("logginggoogleapiscomtracesampled")

// FieldOf returns what a field of this name carries, or false. Names are
// compared without case and separators: trace_id, traceId, Trace-ID and
// trace.id are one name of three ranks. A header that was recorded as an
// attribute goes by the name of the header.
func FieldOf(name string) (Field, bool) {
	// Application Insights spells its trace id in these two ways. All others
	// are somebody's id of an operation.
	if name == "operation_Id" || name == "OperationId" {
		return Field{RoleTrace, KindAzure, 10}, true
	}
	name = strings.TrimPrefix(name, "guid:") // Envoy's tag guid:x-request-id
	if strings.HasPrefix(name, "http.re") {
		name = strings.TrimPrefix(name, "http.request.header.")
		name = strings.TrimPrefix(name, "http.response.header.")
	}
	var buf [longestField]byte
	n, separator := 0, byte(0)
	for i := range len(name) {
		c := lower(name[i])
		if c == '_' || c == '-' || c == '.' || c == '/' {
			separator = c
			continue
		}
		if n == len(buf) {
			return Field{}, false
		}
		buf[n] = c
		n++
	}
	f, ok := fields[string(buf[:n])]
	if ok && f.Rank == 0 && f.Role <= RoleSpan {
		f.Rank = spelling(separator)
	}
	return f, ok
}

// spelling ranks trace_id before traceId before trace.id. The first is what
// OpenTelemetry asks for in logs of other formats, the last is ECS.
func spelling(separator byte) uint8 {
	switch separator {
	case 0:
		return 1
	case '.':
		return 2
	default:
		return 0
	}
}

// RequestFieldOf is FieldOf for the attributes of spans, of which few are request ids: all names of
// one end in id.
func RequestFieldOf(name string) (Field, bool) {
	n := len(name)
	if n < 3 || name[n-1]|0x20 != 'd' || name[n-2]|0x20 != 'i' {
		return Field{}, false
	}
	f, ok := FieldOf(name)
	return f, ok && f.Role == RoleRequest
}
