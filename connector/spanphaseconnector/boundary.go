package spanphaseconnector

import (
	"fmt"

	"go.opentelemetry.io/collector/component"

	"github.com/otelcol-inference/otelcol-inference/internal/condition"
	"github.com/otelcol-inference/otelcol-inference/internal/dialect"
)

// newBoundary compiles request_boundary; nil is a boundary that needs no look
// at the span.
func newBoundary(setting string, set component.TelemetrySettings) (dialect.Boundary, error) {
	switch setting {
	case boundaryOutermost, boundaryFirstServer:
		return nil, nil
	}
	holds, err := condition.OfSpan(setting, set)
	if err != nil {
		return nil, fmt.Errorf("request_boundary: must be %s, %s or an OTTL condition on spans such as %q (got %q: %w)",
			boundaryOutermost, boundaryFirstServer, `span.attributes["entry"] == true`, setting, err)
	}
	return dialect.Boundary(holds), nil
}
