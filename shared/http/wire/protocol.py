"""Reads HTTP from a connection, one request after the other, within limits that uvicorn lacks.

A request is read only when the one before it is answered, so that an error about it can never be
mistaken for the other's answer. A head has a limit in bytes, to the byte, and in time; a body that
is no longer wanted is thrown away within limits, and then the connection is closed.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import httptools
import structlog
import uvicorn
from starlette.types import Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from shared.errors import MahjicError
from shared.http.requests import CONNECTION, new_request_id
from shared.http.wire.framing import CHUNK_LINE_BYTES_MAX, Framing, Part, TooLong
from shared.http.wire.lingering import HeldFlow, LingeringTransport
from shared.http.wire.refusals import refusal_bytes

# As much as common proxies pass on.
HEAD_BYTES_MAX: Final = 64 * 1024
# A client that connects and sends no complete head for this long is cut off.
HEAD_S_MAX: Final = 15.0
# How much is read of a body whose request is already answered, so that the connection can be
# reused: all of one that most addresses would have taken.
DRAIN_BYTES_MAX: Final = 1 << 20
DRAIN_S_MAX: Final = 10.0
_VERSIONS: Final = frozenset({"1.0", "1.1"})


class MalformedHttp(MahjicError):
    """What came over the connection is not an HTTP/1.1 request."""

    code = "malformed_http"
    title = "The request is not valid HTTP"
    status = 400

    def __init__(self, reason: str) -> None:
        super().__init__(f"{reason} Send HTTP/1.1, without TLS.")


class HeadTooLarge(MahjicError):
    """The request line and the header fields, or the trailer, are longer than the service takes."""

    code = "head_too_large"
    title = "The head of the request is too large"
    status = 431

    def __init__(self, part: str, bytes_max: int) -> None:
        super().__init__(
            f"The {part} of the request is longer than {bytes_max} bytes. "
            "Send fewer or shorter fields."
        )


class HeadTooSlow(MahjicError):
    """The request line and the header fields did not arrive in time."""

    code = "head_too_slow"
    title = "The head of the request did not arrive in time"
    status = 408


class LimitedHttpProtocol(HttpToolsProtocol):
    """uvicorn's protocol; a head that is malformed, too long or too slow is refused."""

    head_bytes_max = HEAD_BYTES_MAX
    head_s_max = HEAD_S_MAX
    drain_bytes_max = DRAIN_BYTES_MAX
    drain_s_max = DRAIN_S_MAX
    # Called once when the connection is gone.
    on_lost: Callable[[], None] = staticmethod(lambda: None)
    transport: LingeringTransport
    flow: HeldFlow

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._application = self.app
        self.app = self._answer
        self._framing = Framing(head_bytes_max=self.head_bytes_max)
        # What came and has not been read yet.
        self._data, self._at = b"", 0
        self._drain_left = 0
        self._head_timer: asyncio.TimerHandle | None = None
        self._drain_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a head."""
        super().connection_made(LingeringTransport(transport, self._may_send_more))
        self.flow = HeldFlow(self.transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_head_timer()
        self._stop_drain_timer()
        self._unset_keepalive_if_required()
        self.transport.lost()
        super().connection_lost(exc)
        self.on_lost()

    def data_received(self, data: bytes) -> None:
        """Read what can be read now, and keep the rest."""
        if self.transport.is_closing():
            self.transport.throw_away(len(data))
            return
        self._data = self._data[self._at :] + data if self._at < len(self._data) else data
        self._at = 0
        self._read_on()

    def shutdown(self) -> None:
        """Let a running request end, and hang up if there is none."""
        if self._is_answering():
            self.cycle.keep_alive = False
        else:
            self.transport.close_at_once()

    def on_message_begin(self) -> None:
        """Tell the application how to drop the connection."""
        super().on_message_begin()
        self.scope["extensions"] = {CONNECTION: {"abort": self.transport.abort}}

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a field of the head. Trailer fields are ignored: they come after all decisions."""
        if self._framing.part is Part.HEAD:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Stop waiting for the head, and let the request in."""
        self._stop_head_timer()
        version = self.parser.get_http_version()
        if version not in _VERSIONS or self.parser.should_upgrade():
            raise MalformedHttp("The request asks for another protocol.")
        codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
        if codings and (codings != [b"chunked"] or version == "1.0"):
            raise MalformedHttp("The only Transfer-Encoding is `chunked`, once, in HTTP/1.1.")
        super().on_headers_complete()
        self._framing.begin_body(self.headers)

    def on_chunk_header(self) -> None:
        """Go on to the bytes of a chunk."""
        self._framing.begin_chunk()

    def on_message_complete(self) -> None:
        """Go on to the next request."""
        self._framing.end()
        self._stop_drain_timer()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Go on reading: the rest of this request, which is no longer wanted, or the next one."""
        super().on_response_complete()
        if self.transport.is_closing():
            return
        if self._framing.part is not Part.HEAD:
            self._drain_left = self.drain_bytes_max
            self._drain_timer = self.loop.call_later(self.drain_s_max, self.transport.abort)
        self.flow.release()
        self._read_on()

    def _read_on(self) -> None:
        while self._at < len(self._data) and not self.transport.is_closing():
            if self._framing.part is Part.HEAD:
                if self._is_answering():
                    self.flow.hold()
                    return
                self._unset_keepalive_if_required()
                if self._head_timer is None:
                    self._await_head()
            bytes_read, piece = self._framing.next_piece(self._data, self._at)
            if bytes_read == 0:
                return
            self._at += bytes_read
            if self._drain_timer is not None:
                self._drain(bytes_read)
            self._read(piece)

    def _read(self, piece: bytes) -> None:
        try:
            self.parser.feed_data(piece)
            self._framing.settle()
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            cause = error.__context__
            malformed = MalformedHttp("The request is not valid HTTP.")
            self._refuse(cause if isinstance(cause, MalformedHttp) else malformed)
        except TooLong as error:
            self._refuse(self._too_long(error.part))

    def _too_long(self, part: Part) -> MahjicError:
        if part is Part.CHUNK_LINE:
            told = f"The line before a chunk is longer than {CHUNK_LINE_BYTES_MAX} bytes."
            return MalformedHttp(told)
        return HeadTooLarge("head" if part is Part.HEAD else "trailer", self.head_bytes_max)

    def _drain(self, bytes_count: int) -> None:
        self._drain_left -= bytes_count
        if self._drain_left < 0:
            self.transport.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer; a refusal says if it ends the connection."""
        cycle = self.cycle

        async def send_and_say(message: Message) -> None:
            if message["type"] == "http.response.start" and cycle.more_body:
                # A client that was never told to continue may send the body or the next request.
                is_last = cycle.waiting_for_100_continue
                is_last |= self._framing.body_bytes_left > self.drain_bytes_max
                if is_last and message["status"] >= 400:
                    headers = [*message["headers"], (b"connection", b"close")]
                    message = {**message, "headers": headers}
            await send(message)

        await self._application(scope, receive, send_and_say)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _may_send_more(self) -> bool:
        return self._at < len(self._data) or not self._framing.is_between_requests

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

    def _stop_drain_timer(self) -> None:
        if self._drain_timer is not None:
            self._drain_timer.cancel()
            self._drain_timer = None

    def _refuse(self, error: MahjicError) -> None:
        """Answer a request that can't be read to its end, and close the connection."""
        self._stop_head_timer()
        is_answered, is_in_head = False, self._framing.part is Part.HEAD
        if not is_in_head:
            # The application is still reading its body, or has answered, in part or in full.
            is_answered = self.cycle.response_started
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        request_id = new_request_id()
        structlog.get_logger().info("head_refused", code=error.code, request_id=request_id)
        if not is_answered:
            self.transport.write(refusal_bytes(error, request_id, is_open=is_in_head))
        self.transport.close()
