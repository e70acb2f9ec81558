package series

// Limit names a limit of the store.
type Limit uint8

// The limits.
const (
	LimitSeries Limit = iota
	LimitModels
	LimitErrorTypes
	NumLimits
)

var limitNames = [NumLimits]string{"max_series", "max_models", "max_error_types"}

// String returns the value of the attribute reason.
func (l Limit) String() string { return limitNames[l] }

// limiter admits a number of distinct label values. A value that no set of
// series holds any more makes room for another.
type limiter struct {
	held  map[string]int
	limit int
}

func newLimiter(limit int) limiter { return limiter{held: make(map[string]int), limit: limit} }

// admits reports whether the value is held or there is room for it.
func (l *limiter) admits(value string) bool {
	return value == "" || l.held[value] > 0 || len(l.held) < l.limit
}

func (l *limiter) hold(value string) {
	if value != "" {
		l.held[value]++
	}
}

func (l *limiter) release(value string) {
	if l.held[value]--; l.held[value] <= 0 {
		delete(l.held, value)
	}
}
