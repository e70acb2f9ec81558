package ids

// Kind is how a field spells its id. The name of the field decides it.
type Kind uint8

const (
	// KindPlain is hexadecimal of full width: 32 or 16 digits of either case
	// for a trace id, 16 for a span id, 1 or 2 for flags. A trace id may also
	// stand behind 0x, as a UUID, or encoded twice.
	KindPlain Kind = iota
	// KindOTel is KindPlain in a field whose name only OpenTelemetry uses.
	KindOTel
	// KindTraceparent is the W3C header: version-trace-span-flags.
	KindTraceparent
	// KindGCP is projects/P/traces/<32 digits>, or the digits alone.
	KindGCP
	// KindDatadog is decimal of 64 bits. As a trace id it may be 32
	// hexadecimal digits, which newer tracers write.
	KindDatadog
	// KindB3 is hexadecimal of any width up to the full one, as Zipkin, Brave
	// and Sleuth write it.
	KindB3
	// KindB3Single is the b3 header: trace-span[-sampled[-parent]].
	KindB3Single
	// KindUber is Jaeger's header: trace:span:parent:flags, its colons perhaps
	// URL-encoded.
	KindUber
	// KindXRay is 1-<8 digits>-<24 digits>, alone, before @span, or as Root of
	// an X-Amzn-Trace-Id header.
	KindXRay
	// KindAzure is 32 digits, or |root.span. of older Application Insights.
	KindAzure
	// KindCloudTrace is X-Cloud-Trace-Context: <32 digits>/<decimal span>;o=1.
	KindCloudTrace
	// KindSpanLogs is the tid of the span logs of Grafana Alloy. Elsewhere
	// tid is a thread, so what is not 32 digits, or 32 encoded twice, is absent
	// here, never invalid.
	KindSpanLogs
	// KindSampled is a flag as true or false, 1 or 0.
	KindSampled
)

// Options change how values are read. They are set per source, by its parser
// or its configuration.
type Options uint8

const (
	// ForeignTraceID declares that the source's KindPlain trace ids are not
	// those of its traces: they are absent. LiteLLM's trace_id is a UUID or a
	// string of the caller.
	ForeignTraceID Options = 1 << iota
	// Base64 lets a KindPlain id be padded base64 of its 16 or 8 bytes, as a
	// JSON encoder of protobuf writes it by mistake.
	Base64
)
