package lokitest

import (
	"net/http"
	"time"
)

// Limits are the limits of a tenant, with the names and units of limits_config. 0 is no limit,
// unless said otherwise.
type Limits struct {
	MaxLabelNamesPerSeries int // service_name is not counted
	MaxLabelNameLength     int // bytes
	MaxLabelValueLength    int // bytes
	MaxStreamLabelsSize    int // bytes of the string of labels

	MaxLineSize         int // bytes
	MaxLineSizeTruncate bool

	AllowStructuredMetadata    bool
	MaxStructuredMetadataSize  int // bytes of names and values of an entry
	MaxStructuredMetadataCount int

	RejectOldSamples       bool
	RejectOldSamplesMaxAge time.Duration
	CreationGracePeriod    time.Duration
	// OutOfOrderWindow is how far behind the newest entry of its stream an entry may be: half of
	// ingester.max_chunk_age.
	OutOfOrderWindow time.Duration

	// Rates are in bytes per second of lines and metadata, bursts in bytes.
	IngestionRate, IngestionBurst int
	PerStreamRate, PerStreamBurst int
	// RateLimitWholeStream: a stream that is over its rate is refused as a whole, as long as
	// shard_streams is enabled, which it is by default.
	RateLimitWholeStream bool
	MaxStreams           int

	MaxReceiveSize      int // bytes, as sent
	MaxDecompressedSize int // bytes

	// BlockIngestionUntil blocks all pushes until then, with BlockIngestionStatusCode; 200 drops
	// them without a word.
	BlockIngestionUntil      time.Time
	BlockIngestionStatusCode int

	EnforcedLabels []string
	// DiscoverServiceName are the labels of which the first that is there becomes service_name
	// where that is missing; none of them makes it unknown_service. Empty adds nothing.
	DiscoverServiceName []string

	// MaxReturnedErrors is how many entries an answer lists (ingester.max_returned_stream_errors).
	MaxReturnedErrors int
}

const (
	kilobyte = 1 << 10
	megabyte = 1 << 20
)

// DefaultLimits are those of a Loki without configuration.
func DefaultLimits(v Version) Limits {
	l := Limits{
		MaxLabelNamesPerSeries:     15,
		MaxLabelNameLength:         1024,
		MaxLabelValueLength:        2048,
		MaxStreamLabelsSize:        16 * megabyte,
		MaxLineSize:                256 * kilobyte,
		AllowStructuredMetadata:    true,
		MaxStructuredMetadataSize:  64 * kilobyte,
		MaxStructuredMetadataCount: 128,
		RejectOldSamples:           true,
		RejectOldSamplesMaxAge:     7 * 24 * time.Hour,
		CreationGracePeriod:        10 * time.Minute,
		OutOfOrderWindow:           time.Hour,
		IngestionRate:              4 * megabyte,
		IngestionBurst:             6 * megabyte,
		PerStreamRate:              3 * megabyte,
		PerStreamBurst:             15 * megabyte,
		RateLimitWholeStream:       true,
		MaxStreams:                 5000,
		MaxReceiveSize:             100 * megabyte,
		MaxDecompressedSize:        5000 * megabyte,
		BlockIngestionStatusCode:   260,
		MaxReturnedErrors:          10,
		DiscoverServiceName: []string{
			"service", "app", "application", "app_name", "name", "app_kubernetes_io_name", "container",
			"container_name", "k8s_container_name", "component", "workload", "job", "k8s_job_name",
		},
	}
	if !v.since3(0) {
		l.MaxLabelNamesPerSeries = 30
		l.MaxLineSize = 0
		l.AllowStructuredMetadata = false
		l.DiscoverServiceName = nil
	}
	return l
}

// blocked reports whether pushes are blocked at a time, and with which status.
func (l *Limits) blocked(now time.Time) (int, bool) {
	if !now.Before(l.BlockIngestionUntil) {
		return 0, false
	}
	if l.BlockIngestionStatusCode == 0 {
		return http.StatusOK, true
	}
	return l.BlockIngestionStatusCode, true
}
