"""Lets operators watch the deliveries: metrics for Prometheus, and traces if they are wanted."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from importlib.metadata import version
from typing import Any, Final

from faststream.kafka.opentelemetry import KafkaTelemetryMiddleware
from faststream.kafka.prometheus import KafkaPrometheusMiddleware
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from prometheus_client import CollectorRegistry

SERVICE: Final = "mahjic-projections"
# A collector that does not answer must not delay a process that is told to stop.
EXPORT_S_MAX: Final = 2.0


@contextlib.asynccontextmanager
async def watching(
    registry: CollectorRegistry, otlp_endpoint: str | None
) -> AsyncIterator[Sequence[Any]]:
    """Yield the middlewares for a broker: always metrics, and traces if there is a collector."""
    figures = KafkaPrometheusMiddleware(registry=registry, app_name=SERVICE)
    if otlp_endpoint is None:
        yield [figures]
        return
    exporter = OTLPSpanExporter(
        endpoint=f"{otlp_endpoint.rstrip('/')}/v1/traces", timeout=EXPORT_S_MAX
    )
    async with tracing(exporter) as traces:
        yield [figures, traces]


@contextlib.asynccontextmanager
async def tracing(exporter: SpanExporter) -> AsyncIterator[KafkaTelemetryMiddleware]:
    """Yield the middleware that traces each delivery, and send what is left at the end."""
    provider = TracerProvider(
        resource=Resource({"service.name": SERVICE, "service.version": version("mahjic")}),
        shutdown_on_exit=False,
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    try:
        yield KafkaTelemetryMiddleware(tracer_provider=provider)
    finally:
        # It blocks while it sends.
        await asyncio.to_thread(provider.shutdown)
