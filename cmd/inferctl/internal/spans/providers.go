// Package spans writes what happens in a simulated service as spans of the
// OpenTelemetry SDK, with the timestamps of the simulation, and books the truth
// about every one of them.
package spans

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// Identity is the resource that spans and logs come from.
type Identity struct {
	Service, Namespace, Version, Environment, Instance, Host string
}

// Resource holds the identity as resource attributes.
func (i Identity) Resource() *resource.Resource {
	return resource.NewSchemaless(
		attribute.String("service.name", i.Service),
		attribute.String("service.namespace", i.Namespace),
		attribute.String("service.version", i.Version),
		attribute.String("deployment.environment.name", i.Environment),
		attribute.String("service.instance.id", i.Instance),
		attribute.String("host.name", i.Host),
	)
}

// newProvider makes a provider for one service. Several of them may share the
// processor, so that spans leave in the order they end, whoever wrote them.
func newProvider(i Identity, ids *IDs, processor sdktrace.SpanProcessor) *sdktrace.TracerProvider {
	return sdktrace.NewTracerProvider(
		sdktrace.WithResource(i.Resource()),
		sdktrace.WithIDGenerator(ids),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithSpanProcessor(processor),
	)
}
