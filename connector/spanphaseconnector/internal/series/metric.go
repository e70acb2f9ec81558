package series

// Kind is what a metric counts with.
type Kind uint8

// The kinds. The zero value records nothing.
const (
	Disabled Kind = iota
	Counter
	Explicit    // a histogram with bounds of its own
	Exponential // a histogram whose bounds follow the values
)

// Metric is one metric of a store.
type Metric struct {
	Name, Unit, Description string
	// Attributes it carries besides its labels; their values are the Dims.
	Attributes []string
	Kind       Kind
	// Bounds are the bucket bounds of an Explicit histogram, rising.
	Bounds []float64
	// MaxSize is how many buckets an Exponential histogram may have.
	MaxSize int
}
