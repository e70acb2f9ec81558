package example;

import static io.opentelemetry.api.common.AttributeKey.stringArrayKey;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A service that writes the five spans of a request to a model. */
@SpringBootApplication
@RestController
public class Service {
  private static final String MODEL = "demo-model";

  // Reads OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_SERVICE_NAME; sends the last spans when the
  // process ends.
  private final OpenTelemetry telemetry =
      AutoConfiguredOpenTelemetrySdk.builder()
          .addPropertiesSupplier(
              () ->
                  Map.of(
                      "otel.exporter.otlp.protocol", "http/protobuf",
                      "otel.metrics.exporter", "none",
                      "otel.logs.exporter", "none"))
          .build()
          .getOpenTelemetrySdk();
  private final Tracer tracer = telemetry.getTracer("example");
  private final Semaphore slots = new Semaphore(1); // requests that the model computes at a time

  public static void main(String[] args) {
    SpringApplication.run(Service.class, args);
  }

  interface Work<T> {
    T run(Span span) throws Exception;
  }

  /** Runs work within a span of that name. */
  private <T> T phase(String name, Work<T> work) throws Exception {
    Span span = tracer.spanBuilder(name).startSpan();
    try (Scope scope = span.makeCurrent()) {
      return work.run(span);
    } catch (Exception e) {
      span.setAttribute("error.type", e.getClass().getSimpleName());
      span.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
      throw e;
    } finally {
      span.end();
    }
  }

  @PostMapping("/generate")
  public ResponseEntity<Map<String, String>> handle(HttpServletRequest http) {
    Context parent =
        telemetry.getPropagators().getTextMapPropagator().extract(Context.current(), http, HEADERS);
    Span request =
        tracer.spanBuilder("POST /generate").setParent(parent).setSpanKind(SpanKind.SERVER).startSpan();
    try (Scope scope = request.makeCurrent()) {
      return ResponseEntity.ok(serve(http));
    } catch (Exception e) {
      request.setStatus(StatusCode.ERROR, String.valueOf(e.getMessage()));
      return ResponseEntity.internalServerError().body(Map.of("error", String.valueOf(e.getMessage())));
    } finally {
      request.end();
    }
  }

  private Map<String, String> serve(HttpServletRequest http) throws Exception {
    String body = phase("receive", span -> new String(http.getInputStream().readAllBytes()));
    String[] input =
        phase(
            "preprocess",
            span -> {
              var fields = JsonParserFactory.getJsonParser().parseMap(body);
              return ((String) fields.get("prompt")).split(" "); // your tokenizer
            });
    phase(
        "queue",
        span -> {
          slots.acquire();
          return null;
        });
    List<String> output = new ArrayList<>();
    try {
      phase(
          "inference",
          span -> {
            span.setAttribute("gen_ai.request.model", MODEL);
            span.setAttribute("gen_ai.usage.input_tokens", input.length);
            try {
              generate(
                  input,
                  token -> {
                    if (output.isEmpty()) {
                      span.addEvent("first_token");
                    }
                    output.add(token);
                  });
              span.setAttribute(stringArrayKey("gen_ai.response.finish_reasons"), List.of("stop"));
            } finally {
              span.setAttribute("gen_ai.usage.output_tokens", output.size());
            }
            return null;
          });
    } finally {
      slots.release();
    }
    return phase("postprocess", span -> Map.of("text", String.join(" ", output)));
  }

  /** Stands for your engine. */
  private static void generate(String[] prompt, Consumer<String> onToken) throws Exception {
    if (prompt[0].equals("fail")) {
      throw new IllegalStateException("the engine failed");
    }
    for (String token : prompt) {
      Thread.sleep(10);
      onToken.accept(token.toUpperCase());
    }
  }

  private static final TextMapGetter<HttpServletRequest> HEADERS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(HttpServletRequest http) {
          return Collections.list(http.getHeaderNames());
        }

        @Override
        public String get(HttpServletRequest http, String key) {
          return http.getHeader(key);
        }
      };
}
