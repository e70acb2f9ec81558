package spanphaseconnector

import (
	"context"
	"fmt"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// newBoundary compiles request_boundary; nil is a boundary that needs no look
// at the span.
func newBoundary(setting string, set component.TelemetrySettings) (dialect.Boundary, error) {
	switch setting {
	case boundaryOutermost, boundaryFirstServer:
		return nil, nil
	}
	fail := func(err error) error {
		return fmt.Errorf("request_boundary: must be %s, %s or an OTTL condition on spans such as %q (got %q: %w)",
			boundaryOutermost, boundaryFirstServer, `span.attributes["entry"] == true`, setting, err)
	}
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), set)
	if err != nil {
		return nil, fail(err)
	}
	condition, err := parser.ParseCondition(setting)
	if err != nil {
		return nil, fail(err)
	}
	return func(rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool {
		return holds(condition, rs, ss, span)
	}, nil
}

// holds reports whether the condition is true of the span. A condition that
// fails on a span, as one that compares an attribute of another type does, is
// not.
func holds(c *ottl.Condition[*ottlspan.TransformContext], rs ptrace.ResourceSpans, ss ptrace.ScopeSpans, span ptrace.Span) bool {
	tc := ottlspan.NewTransformContextPtr(rs, ss, span)
	defer tc.Close()
	ok, err := c.Eval(context.Background(), tc)
	return err == nil && ok
}
