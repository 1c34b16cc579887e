"""Reads HTTP from a connection, with limits on the head of a request that uvicorn does not have."""

import asyncio
from typing import Final

import structlog
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from shared.errors import MahjicError
from shared.http.problems import PROBLEM_JSON, problem_body
from shared.http.requests import CONNECTION, new_request_id

# As much as common proxies pass on.
HEAD_BYTES_MAX: Final = 64 * 1024
# Whoever connects and sends no whole head for this long is cut off.
HEAD_S_MAX: Final = 15.0


class MalformedHttp(MahjicError):
    """What came on the connection is no request as HTTP/1.1 writes it."""

    code = "malformed_http"
    title = "The request is no HTTP"
    status = 400


class HeadTooLarge(MahjicError):
    """The request line and the header fields are longer than the service takes."""

    code = "head_too_large"
    title = "The head of the request is too large"
    status = 431


class HeadTooSlow(MahjicError):
    """The request line and the header fields did not arrive in time."""

    code = "head_too_slow"
    title = "The head of the request did not arrive in time"
    status = 408


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol; a head that is malformed, too long or too slow is refused."""

    head_bytes_max = HEAD_BYTES_MAX
    head_s_max = HEAD_S_MAX
    _head_bytes = 0
    _is_in_head = True
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a head."""
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_head_timer()
        super().connection_lost(exc)

    def on_message_begin(self) -> None:
        """Start to count the bytes of a head."""
        super().on_message_begin()
        self.scope["extensions"] = {CONNECTION: {"abort": self.transport.abort}}
        self._is_in_head = True
        self._head_bytes = 0
        if self._head_timer is None:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Stop counting, and let the request in."""
        self._is_in_head = False
        self._stop_head_timer()
        super().on_headers_complete()

    def data_received(self, data: bytes) -> None:
        """Read, and refuse a head that has become too long."""
        super().data_received(data)
        if self._is_in_head and not self.transport.is_closing():
            self._head_bytes += len(data)
            if self._head_bytes > self.head_bytes_max:
                told = f"The head of the request is longer than {self.head_bytes_max} bytes."
                self._refuse(HeadTooLarge(f"{told} Send fewer or shorter fields."))

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP; uvicorn calls this."""
        self._refuse(MalformedHttp(f"{msg.removesuffix('.')}. Send HTTP/1.1, without TLS."))

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_s_max, self._cut_off)

    def _cut_off(self) -> None:
        self._head_timer = None
        if not self.transport.is_closing():
            told = f"The head of the request was not complete after {self.head_s_max:g} s."
            self._refuse(HeadTooSlow(f"{told} Send the request again."))

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse(self, error: MahjicError) -> None:
        request_id = new_request_id()
        structlog.get_logger().info("head_refused", code=error.code, request_id=request_id)
        body = problem_body(error, request_id)
        head = (
            f"content-type: {PROBLEM_JSON}\r\n"
            f"content-length: {len(body)}\r\n"
            "cache-control: no-store\r\n"
            "x-content-type-options: nosniff\r\n"
            "connection: close\r\n\r\n"
        )
        self.transport.write(STATUS_LINE[error.status] + head.encode() + body)
        self.transport.close()
