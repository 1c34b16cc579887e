"""Operators see what is delivered: figures for Prometheus, and a trace of each delivery."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from prometheus_client import CollectorRegistry

from services.projections.watched import watching
from tests.log.deadlines import DEADLINE_S
from tests.projections.following.followed import FollowedSeason
from tests.servers import serving

NEVER_S = 10 * DEADLINE_S


@contextmanager
def a_collector() -> Iterator[tuple[str, list[tuple[str, ExportTraceServiceRequest]]]]:
    """Run a collector of traces, and give its address and what it has been sent, with the path."""
    sent: list[tuple[str, ExportTraceServiceRequest]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent.append((self.path, ExportTraceServiceRequest.FromString(body)))
            self.send_response(200)
            self.end_headers()

        def log_request(self, *arguments: object) -> None:
            pass

    with serving(Collector) as port:
        yield f"http://127.0.0.1:{port}", sent


async def test_deliveries_are_counted_and_traced(followed: FollowedSeason) -> None:
    registry = CollectorRegistry()
    with a_collector() as (address, sent):
        async with (
            watching(registry, f"{address}/") as middlewares,
            followed.working(look_s=NEVER_S, middlewares=middlewares) as worker,
        ):
            await worker.until_it_shows(await followed.grow(20))
            await worker.until_it_shows(await followed.grow(20))
    labels = {
        "app_name": "mahjic-projections",
        "broker": "kafka",
        "handler": followed.cluster.verdicts_topic,
    }
    received = registry.get_sample_value("faststream_received_messages_total", labels)
    assert received == 41
    assert {path for path, _ in sent} == {"/v1/traces"}
    spans = [
        span
        for _, request in sent
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    assert f"{followed.cluster.verdicts_topic} process" in {span.name for span in spans}
    for _, request in sent:
        for resource in request.resource_spans:
            told = {each.key: each.value.string_value for each in resource.resource.attributes}
            assert told["service.name"] == "mahjic-projections"


async def test_without_an_endpoint_nothing_is_traced() -> None:
    async with watching(CollectorRegistry(), None) as middlewares:
        assert len(middlewares) == 1
