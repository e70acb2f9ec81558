// A service that writes the five spans of a request to a model.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

const model = "demo-model"

var (
	tracer = otel.Tracer("example")
	slots  = make(chan struct{}, 1) // requests that the model computes at a time
)

// phase runs do within a span of that name.
func phase(ctx context.Context, name string, do func(trace.Span) error) error {
	_, span := tracer.Start(ctx, name)
	defer span.End()
	err := do(span)
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
		span.SetAttributes(attribute.String("error.type", "engine_error"))
	}
	return err
}

func handle(w http.ResponseWriter, r *http.Request) {
	ctx := otel.GetTextMapPropagator().Extract(r.Context(), propagation.HeaderCarrier(r.Header))
	ctx, request := tracer.Start(ctx, "POST /generate", trace.WithSpanKind(trace.SpanKindServer))
	defer request.End()
	if err := serve(ctx, w, r); err != nil {
		request.SetStatus(codes.Error, err.Error())
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func serve(ctx context.Context, w http.ResponseWriter, r *http.Request) error {
	var body struct{ Prompt string }
	var input, output []string
	if err := phase(ctx, "receive", func(trace.Span) error {
		return json.NewDecoder(r.Body).Decode(&body)
	}); err != nil {
		return err
	}
	_ = phase(ctx, "preprocess", func(trace.Span) error {
		input = strings.Fields(body.Prompt) // your tokenizer
		return nil
	})
	if err := phase(ctx, "queue", func(trace.Span) error {
		select {
		case slots <- struct{}{}:
			return nil
		case <-ctx.Done(): // the caller went away
			return ctx.Err()
		}
	}); err != nil {
		return err
	}
	err := phase(ctx, "inference", func(span trace.Span) error {
		defer func() { <-slots }()
		span.SetAttributes(
			attribute.String("gen_ai.request.model", model),
			attribute.Int("gen_ai.usage.input_tokens", len(input)))
		err := generate(input, func(token string) {
			if len(output) == 0 {
				span.AddEvent("first_token")
			}
			output = append(output, token)
		})
		span.SetAttributes(attribute.Int("gen_ai.usage.output_tokens", len(output)))
		if err == nil {
			span.SetAttributes(attribute.StringSlice("gen_ai.response.finish_reasons", []string{"stop"}))
		}
		return err
	})
	if err != nil {
		return err
	}
	return phase(ctx, "postprocess", func(trace.Span) error {
		return json.NewEncoder(w).Encode(map[string]string{"text": strings.Join(output, " ")})
	})
}

// generate stands for your engine.
func generate(prompt []string, onToken func(string)) error {
	if len(prompt) > 0 && prompt[0] == "fail" {
		return errors.New("the engine failed")
	}
	for _, token := range prompt {
		time.Sleep(10 * time.Millisecond)
		onToken(strings.ToUpper(token))
	}
	return nil
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Reads OTEL_EXPORTER_OTLP_ENDPOINT, the provider OTEL_SERVICE_NAME.
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})

	http.HandleFunc("POST /generate", handle)
	server := &http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err = <-failed:
		return err
	case <-ctx.Done():
		ctx = context.WithoutCancel(ctx)
		return errors.Join(server.Shutdown(ctx), provider.Shutdown(ctx)) // sends the last spans
	}
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
