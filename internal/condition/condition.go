// Package condition compiles the conditions on spans that configurations hold.
package condition

import (
	"context"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Span reports whether a condition is true of a span. It is safe for concurrent use.
type Span func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool

// OfSpan compiles a condition in OTTL, with its standard converters. One that fails on a span, as
// one that compares an attribute of another type does, is not true of it.
func OfSpan(text string, set component.TelemetrySettings) (Span, error) {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), set)
	if err != nil {
		return nil, err
	}
	condition, err := parser.ParseCondition(text)
	if err != nil {
		return nil, err
	}
	return func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool {
		return holds(condition, rs, ss, span)
	}, nil
}

func holds(c *ottl.Condition[*ottlspan.TransformContext], rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool {
	tc := ottlspan.NewTransformContextPtr(rs, ss, span)
	defer tc.Close()
	ok, err := c.Eval(context.Background(), tc)
	return err == nil && ok
}
