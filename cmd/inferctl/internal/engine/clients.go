package engine

import (
	"math/rand/v2"
	"time"
)

// clients send the requests. Each kind of draw has a source of its own, so that
// a fault that changes one (more arrivals, longer prompts) leaves the others.
type clients struct {
	cfg                                      Config
	sent                                     int
	gone                                     bool
	arrivals, models, prompts, outputs, luck *rand.Rand
}

func newClients(cfg Config) *clients {
	source := func(purpose uint64) *rand.Rand { return rand.New(rand.NewPCG(cfg.Seed, purpose)) }
	return &clients{
		cfg: cfg, arrivals: source(1), models: source(2),
		prompts: source(3), outputs: source(4), luck: source(5),
	}
}

// nextArrival is when the next request comes; false when no more will.
func (c *clients) nextArrival(now time.Duration) (time.Duration, bool) {
	if c.gone || c.cfg.Requests > 0 && c.sent >= c.cfg.Requests {
		return 0, false
	}
	at := now + time.Duration(c.arrivals.ExpFloat64()/c.cfg.Rate*float64(time.Second))
	return at, c.cfg.Requests > 0 || at < c.cfg.Duration
}

// arrive makes the next request and names the model it is for, by index.
func (c *clients) arrive() (*Request, int) {
	model := pick(c.models, c.cfg.Models)
	input, _ := c.cfg.Prompt.draw(c.prompts)
	output, cut := c.cfg.Output.draw(c.outputs)
	r := &Request{
		Index: c.sent, Model: c.cfg.Models[model],
		InputTokens: input, MaxTokens: c.cfg.Output.Max,
		fate: drawFate(c.luck, output, cut, c.cfg.ErrorRate, c.cfg.AbortRate),
	}
	c.sent++
	return r, model
}
