// A service that writes the five spans of a request to a model.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

const model = "demo-model";

// The exporter reads OTEL_EXPORTER_OTLP_ENDPOINT, the detector OTEL_SERVICE_NAME.
const provider = new NodeTracerProvider({
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
const tracer = trace.getTracer("example");

// One request at a time is computed: each waits for the one before it.
let last: Promise<unknown> = Promise.resolve();

/** Runs work within a span of that name. */
function phase<T>(name: string, work: (span: Span) => Promise<T> | T): Promise<T> {
  return tracer.startActiveSpan(name, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      span.setAttribute("error.type", (error as Error).name);
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const parent = propagation.extract(context.active(), req.headers);
  await tracer.startActiveSpan("POST /generate", { kind: SpanKind.SERVER }, parent, async (request) => {
    try {
      await serve(req, res);
    } catch (error) {
      request.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      res.writeHead(500).end(JSON.stringify({ error: String(error) }));
    } finally {
      request.end();
    }
  });
}

async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await phase("receive", async () => (await json(req)) as { prompt: string });
  const input = await phase("preprocess", () => body.prompt.split(" ")); // your tokenizer
  const before = last;
  let done!: () => void;
  last = new Promise<void>((resolve) => (done = resolve));
  await phase("queue", () => before);
  const output: string[] = [];
  await phase("inference", async (span) => {
    span.setAttribute("gen_ai.request.model", model);
    span.setAttribute("gen_ai.usage.input_tokens", input.length);
    try {
      for await (const token of generate(input)) {
        if (output.length === 0) {
          span.addEvent("first_token");
        }
        output.push(token);
      }
      span.setAttribute("gen_ai.response.finish_reasons", ["stop"]);
    } finally {
      span.setAttribute("gen_ai.usage.output_tokens", output.length);
      done();
    }
  });
  await phase("postprocess", () => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ text: output.join(" ") }));
  });
}

/** Stands for your engine. */
async function* generate(prompt: string[]): AsyncGenerator<string> {
  if (prompt[0] === "fail") {
    throw new Error("the engine failed");
  }
  for (const token of prompt) {
    await sleep(10);
    yield token.toUpperCase();
  }
}

const server = createServer((req, res) => {
  if (req.method === "POST" && req.url === "/generate") {
    void handle(req, res);
  } else {
    res.writeHead(404).end();
  }
});
server.listen(Number(process.env.PORT), "127.0.0.1");
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close(() => void provider.shutdown()); // sends the last spans
    server.closeIdleConnections();
  });
}
