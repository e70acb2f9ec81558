package series

import "github.com/otelcol-inference/otelcol-inference/internal/inference"

// Limit names a limit of the store.
type Limit uint8

// The limits.
const (
	LimitSeries Limit = iota
	LimitModels
	LimitModelVersions
	LimitErrorTypes
	LimitValues // of a dimension
	NumLimits
)

var limitNames = [NumLimits]string{"max_series", "max_models", "max_model_versions", "max_error_types", "max_values"}

// String returns the value of the attribute reason.
func (l Limit) String() string { return limitNames[l] }

// limiter admits a number of distinct label values. A value that no set of
// series holds any more makes room for another.
type limiter struct {
	held  map[string]int
	limit int
}

func newLimiter(limit int) *limiter { return &limiter{held: make(map[string]int), limit: limit} }

// standIn reports whether value stands for others and needs no room of its own.
func standIn(value string) bool {
	switch value {
	case "", inference.UnknownModel, inference.OtherModel, inference.OtherError:
		return true
	}
	return false
}

// admits reports whether the value is held or there is room for it.
func (l *limiter) admits(value string) bool {
	return standIn(value) || l.held[value] > 0 || len(l.held) < l.limit
}

func (l *limiter) hold(value string) {
	if !standIn(value) {
		l.held[value]++
	}
}

func (l *limiter) release(value string) {
	if standIn(value) {
		return
	}
	if l.held[value]--; l.held[value] <= 0 {
		delete(l.held, value)
	}
}

// limiters are those of all labels that clients choose.
type limiters struct {
	models     *limiter
	errorTypes *limiter
	versions   map[string]*limiter // by model
	perModel   int

	dimensions []*limiter
	semconv    []*limiter
	fitted     inference.DimensionsBuilder
}

func newLimiters(cfg *Config) limiters {
	l := limiters{
		models: newLimiter(cfg.MaxModels), errorTypes: newLimiter(cfg.MaxErrorTypes),
		versions: make(map[string]*limiter), perModel: cfg.MaxModelVersions,
	}
	for i := range cfg.Dimensions {
		l.dimensions = append(l.dimensions, newLimiter(cfg.Dimensions[i].MaxValues))
	}
	for i := range inference.NumSemconvAttributes {
		limit := cfg.SemconvValues
		if i == inference.SemconvRequestModel || i == inference.SemconvResponseModel {
			limit = cfg.MaxModels
		}
		l.semconv = append(l.semconv, newLimiter(limit))
	}
	return l
}

// fit replaces what has no room in labels and says which limits were reached.
func (l *limiters) fit(labels *Labels) (reached [NumLimits]bool) {
	if !l.models.admits(labels.Model) {
		labels.Model, labels.ModelVersion = inference.OtherModel, ""
		reached[LimitModels] = true
	}
	if versions := l.versions[labels.Model]; versions != nil && !versions.admits(labels.ModelVersion) {
		labels.ModelVersion = inference.OtherModel
		reached[LimitModelVersions] = true
	}
	if !l.errorTypes.admits(labels.ErrorType) {
		labels.ErrorType = inference.OtherError
		reached[LimitErrorTypes] = true
	}
	reached[LimitValues] = l.fitValues(&labels.Dimensions, l.dimensions)
	if labels.Semconv != "" && l.fitValues(&labels.Semconv, l.semconv) {
		reached[LimitValues] = true
	}
	return reached
}

// fitValues replaces the values that have no room and reports whether there are any.
func (l *limiters) fitValues(d *inference.Dimensions, by []*limiter) (reached bool) {
	rest := *d
	for i := 0; rest != ""; i++ {
		var value string
		value, rest = rest.Cut()
		reached = reached || !by[i].admits(value)
	}
	if !reached {
		return false
	}
	l.fitted.Begin()
	rest = *d
	for i := 0; rest != ""; i++ {
		var value string
		if value, rest = rest.Cut(); !by[i].admits(value) {
			value = inference.OtherValue
		}
		if i > 0 {
			l.fitted.Next()
		}
		l.fitted.Add(value)
	}
	*d = l.fitted.End()
	return true
}

// each calls f with each value and its limiter.
func (l *limiters) each(labels *Labels, f func(*limiter, string)) {
	for rest, i := labels.Dimensions, 0; rest != ""; i++ {
		var value string
		value, rest = rest.Cut()
		f(l.dimensions[i], value)
	}
	for rest, i := labels.Semconv, 0; rest != ""; i++ {
		var value string
		value, rest = rest.Cut()
		f(l.semconv[i], value)
	}
}

func (l *limiters) hold(labels *Labels) {
	l.models.hold(labels.Model)
	l.errorTypes.hold(labels.ErrorType)
	l.each(labels, (*limiter).hold)
	if standIn(labels.ModelVersion) {
		return
	}
	if l.versions[labels.Model] == nil {
		l.versions[labels.Model] = newLimiter(l.perModel)
	}
	l.versions[labels.Model].hold(labels.ModelVersion)
}

func (l *limiters) release(labels *Labels) {
	l.models.release(labels.Model)
	l.errorTypes.release(labels.ErrorType)
	l.each(labels, (*limiter).release)
	if standIn(labels.ModelVersion) {
		return
	}
	versions := l.versions[labels.Model]
	versions.release(labels.ModelVersion)
	if len(versions.held) == 0 {
		delete(l.versions, labels.Model)
	}
}
