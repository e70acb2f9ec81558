package engine

import (
	"math"
	"math/rand/v2"
	"time"
)

// Lengths is a log-normal distribution of token counts, cut at both ends.
type Lengths struct {
	// Median is the middle length in tokens.
	Median float64
	// Sigma is the standard deviation of the logarithm of the length.
	Sigma float64
	// Min and Max bound every draw.
	Min, Max int
}

// draw gives a length, and tells if it would have been longer than Max.
func (l Lengths) draw(rng *rand.Rand) (tokens int, cut bool) {
	x := l.Median * math.Exp(l.Sigma*rng.NormFloat64())
	if x >= float64(l.Max) {
		return l.Max, true
	}
	return max(l.Min, int(x)), false
}

// Linear is a cost that grows with a number of tokens.
type Linear struct {
	Fixed, PerToken time.Duration
}

func (l Linear) of(tokens int) time.Duration {
	return l.Fixed + time.Duration(tokens)*l.PerToken
}

func (l Linear) times(factor int) Linear {
	return Linear{Fixed: l.Fixed * time.Duration(factor), PerToken: l.PerToken * time.Duration(factor)}
}

// StepCost is what one step of a GPU costs, for a model of [referenceSize].
type StepCost struct {
	// Wake is the time from a request reaching an idle GPU to its first step.
	Wake time.Duration
	// Base is a decode step of one sequence: reading the weights.
	Base time.Duration
	// PerSequence is added for each further sequence in the batch.
	PerSequence time.Duration
	// PerPromptToken is added for each prompt token that the step takes in.
	PerPromptToken time.Duration
}

// of is the time of one step with this many sequences and new prompt tokens.
func (c StepCost) of(sequences, promptTokens int, scale float64) time.Duration {
	t := c.Base + time.Duration(sequences-1)*c.PerSequence + time.Duration(promptTokens)*c.PerPromptToken
	return time.Duration(float64(t) * scale)
}

func (c StepCost) times(factor int) StepCost {
	f := time.Duration(factor)
	return StepCost{Wake: c.Wake, Base: c.Base * f, PerSequence: c.PerSequence * f, PerPromptToken: c.PerPromptToken * f}
}
