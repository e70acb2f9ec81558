package play

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collectorlogs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	collectortrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"
)

// receiver is an OTLP receiver over HTTP that counts.
type receiver struct {
	*httptest.Server
	mu      sync.Mutex
	exports [][]string // trace ids of the spans of each export
	records int
	last    uint64 // latest end of a span
	answer  proto.Message
	status  int
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{status: http.StatusOK, answer: &collectortrace.ExportTraceServiceResponse{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP takes one export.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var body io.Reader = request.Body
	if request.Header.Get("Content-Encoding") == "gzip" {
		body, _ = gzip.NewReader(body)
	}
	raw, _ := io.ReadAll(body)
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(r.status)
	if r.status != http.StatusOK {
		return
	}
	if strings.HasSuffix(request.URL.Path, "/logs") {
		r.takeLogs(raw)
		return
	}
	r.takeSpans(raw)
	answer, _ := proto.Marshal(r.answer)
	_, _ = w.Write(answer)
}

func (r *receiver) takeSpans(raw []byte) {
	var export collectortrace.ExportTraceServiceRequest
	if proto.Unmarshal(raw, &export) != nil {
		return
	}
	var ids []string
	for _, resource := range export.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				ids = append(ids, string(span.GetTraceId()))
				r.last = max(r.last, span.GetEndTimeUnixNano())
			}
		}
	}
	r.exports = append(r.exports, ids)
}

func (r *receiver) takeLogs(raw []byte) {
	var export collectorlogs.ExportLogsServiceRequest
	if proto.Unmarshal(raw, &export) != nil {
		return
	}
	for _, resource := range export.GetResourceLogs() {
		for _, scope := range resource.GetScopeLogs() {
			r.records += len(scope.GetLogRecords())
		}
	}
}

func (r *receiver) spans() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, ids := range r.exports {
		n += len(ids)
	}
	return n
}
