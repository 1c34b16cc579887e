"""Counts and times the answers to requests by route, for Prometheus."""

import time
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.http.layer import HttpLayer
from shared.http.requests import method_of, route_of

# From a cached read to the longest wait for ratings.
_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class HttpMetrics:
    """The metrics of one registry. Labels are routes and classes, never anything that was sent."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "mahjic_http_requests",
            "Requests answered, by class of status; `none` is one that was never answered.",
            ("method", "route", "status"),
            registry=registry,
        )
        self._seconds = Histogram(
            "mahjic_http_request_seconds",
            "From the head of a request to the end of its answer.",
            ("method", "route"),
            buckets=_BUCKETS_S,
            registry=registry,
        )
        self.in_flight = Gauge(
            "mahjic_http_requests_in_flight", "Requests being answered now.", registry=registry
        )

    def count(self, method: str, route: str, status: int | None, duration_s: float) -> None:
        """Record one request; `status` is None if it was never answered."""
        status_class = f"{status // 100}xx" if status is not None else "none"
        self._requests.labels(method, route, status_class).inc()
        self._seconds.labels(method, route).observe(duration_s)


class MeasureRequests(HttpLayer):
    """Records each request in the metrics."""

    def __init__(self, app: ASGIApp, *, metrics: HttpMetrics) -> None:
        super().__init__(app)
        self._metrics = metrics

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        started_s = time.perf_counter()
        status: int | None = None

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self.app(scope, receive, send_and_note)
        finally:
            self._metrics.in_flight.dec()
            duration_s = time.perf_counter() - started_s
            self._metrics.count(method_of(scope), route_of(scope), status, duration_s)
