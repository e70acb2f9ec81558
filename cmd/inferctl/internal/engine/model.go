package engine

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

// referenceSize is the model size, in billions of parameters, that [StepCost] is for.
const referenceSize = 7

// sizePattern finds a size such as 7b, 0.5B or 70b in a model's name.
var sizePattern = regexp.MustCompile(`(?i)(?:^|[^a-z0-9.])(\d+(?:\.\d+)?)b(?:$|[^a-z0-9])`)

// Model is one model in one version.
type Model struct {
	Name, Version string
	// Weight is its share of the requests, relative to the other models.
	Weight float64
}

// DefaultModels are two models, the first with three quarters of the load.
func DefaultModels() []Model {
	return []Model{
		{Name: "qwen2.5-7b", Version: "v1", Weight: 3},
		{Name: "llama-3-8b", Version: "v2", Weight: 1},
	}
}

// scale is how much slower than [referenceSize] a step of the model is, judged
// by the size in its name. Larger models come on more chips, hence the root.
func (m Model) scale() float64 {
	found := sizePattern.FindStringSubmatch(m.Name)
	if found == nil {
		return 1
	}
	size, err := strconv.ParseFloat(found[1], 64)
	if err != nil || size <= 0 {
		return 1
	}
	return math.Sqrt(size / referenceSize)
}

// ParseModels reads a comma-separated list of name[@version][=weight].
// The version defaults to v1 and the weight to 1.
func ParseModels(list string) ([]Model, error) {
	var models []Model
	var errs []error
	seen := map[string]bool{}
	for item := range strings.SplitSeq(list, ",") {
		m, err := parseModel(strings.TrimSpace(item))
		switch {
		case err != nil:
			errs = append(errs, err)
		case seen[m.Name+"@"+m.Version]:
			errs = append(errs, fmt.Errorf("model %q: %s is listed twice, keep one", item, m.Version))
		}
		seen[m.Name+"@"+m.Version] = true
		models = append(models, m)
	}
	return models, errors.Join(errs...)
}

func parseModel(item string) (Model, error) {
	m := Model{Version: "v1", Weight: 1}
	id, weight, weighted := strings.Cut(item, "=")
	if weighted {
		w, err := strconv.ParseFloat(weight, 64)
		if err != nil || !(w > 0) || math.IsInf(w, 0) {
			return m, fmt.Errorf("model %q: weight %q is not a number above 0", item, weight)
		}
		m.Weight = w
	}
	name, version, versioned := strings.Cut(id, "@")
	if name == "" || versioned && version == "" {
		return m, fmt.Errorf("model %q: write it as name@version=weight", item)
	}
	m.Name = name
	if versioned {
		m.Version = version
	}
	return m, nil
}

// pick draws the index of a model by weight.
func pick(rng *rand.Rand, models []Model) int {
	var total float64
	for _, m := range models {
		total += m.Weight
	}
	x := rng.Float64() * total
	for i, m := range models {
		if x -= m.Weight; x < 0 {
			return i
		}
	}
	return len(models) - 1
}
