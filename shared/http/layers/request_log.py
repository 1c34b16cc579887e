"""Logs one line for each request, by its route and never by its path, under the request's id."""

import time

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.http.callers import Caller
from shared.http.layer import HttpLayer
from shared.http.layers.gate import UNLIMITED_PATHS
from shared.http.requests import (
    REQUEST_ID_HEADER,
    give_request_id,
    method_of,
    route_of,
    state_of,
)


class LogRequests(HttpLayer):
    """Gives the request its id, returns it to the caller, and logs the outcome.

    Everything logged during the request carries the id too.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(app)
        # Bound once: finding the log's configuration again takes as long as writing the line.
        self._log = structlog.get_logger().bind()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give the request its id, and log it when it is answered."""
        started_s = time.perf_counter()
        request_id = give_request_id(scope)
        id_field = (REQUEST_ID_HEADER, request_id.encode())
        status: int | None = None

        async def send_with_id(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = {**message, "headers": [*message["headers"], id_field]}
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self.app(scope, receive, send_with_id)
            finally:
                self._write(scope, status, time.perf_counter() - started_s)

    def _write(self, scope: Scope, status: int | None, duration_s: float) -> None:
        caller = state_of(scope).get("caller")
        # Monitoring asks every few seconds, and those requests are not worth a line.
        write = self._log.debug if scope["path"] in UNLIMITED_PATHS else self._log.info
        write(
            "request",
            method=method_of(scope),
            route=route_of(scope),
            status=status,
            duration_ms=round(duration_s * 1000, 2),
            key_id=caller.key_id if isinstance(caller, Caller) else None,
        )
