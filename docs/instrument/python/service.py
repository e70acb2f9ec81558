"""A service that writes the five spans of a request to a model."""

import asyncio
from contextlib import asynccontextmanager, contextmanager

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from opentelemetry import propagate, trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

MODEL = "demo-model"

# Reads OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_SERVICE_NAME.
provider = TracerProvider()
provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
tracer = trace.get_tracer("example")

slots = asyncio.Semaphore(1)  # requests that the model computes at a time


@asynccontextmanager
async def lifespan(_: FastAPI):
    yield
    provider.shutdown()  # sends the last spans


app = FastAPI(lifespan=lifespan)


@contextmanager
def phase(name: str):
    """A span of that name. The SDK sets its status when an exception leaves it."""
    with tracer.start_as_current_span(name) as span:
        try:
            yield span
        except Exception as error:
            span.set_attribute("error.type", type(error).__name__)
            raise


@app.post("/generate")
async def handle(http: Request):
    context = propagate.extract(http.headers)
    with tracer.start_as_current_span(
        "POST /generate", context=context, kind=trace.SpanKind.SERVER
    ) as request:
        try:
            return await serve(http)
        except Exception as error:
            request.set_status(trace.Status(trace.StatusCode.ERROR, str(error)))
            return JSONResponse({"error": str(error)}, status_code=500)


async def serve(http: Request):
    with phase("receive"):
        prompt = (await http.json())["prompt"]
    with phase("preprocess"):
        tokens = prompt.split()  # your tokenizer
    with phase("queue"):
        await slots.acquire()
    output = []
    try:
        with phase("inference") as span:
            span.set_attribute("gen_ai.request.model", MODEL)
            span.set_attribute("gen_ai.usage.input_tokens", len(tokens))
            try:
                async for token in generate(tokens):
                    if not output:
                        span.add_event("first_token")
                    output.append(token)
                span.set_attribute("gen_ai.response.finish_reasons", ["stop"])
            finally:
                span.set_attribute("gen_ai.usage.output_tokens", len(output))
    finally:
        slots.release()
    with phase("postprocess"):
        return {"text": " ".join(output)}


async def generate(tokens: list[str]):
    """Stands for your engine."""
    if tokens[:1] == ["fail"]:
        raise RuntimeError("the engine failed")
    for token in tokens:
        await asyncio.sleep(0.01)
        yield token.upper()
