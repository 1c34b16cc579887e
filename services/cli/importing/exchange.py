"""One request whose body and answer flow at the same time, which common HTTP clients cannot do."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

import h11
import httpx
import orjson

from services.cli.terminal.client import (
    CONNECT_S_MAX,
    PROBLEM_JSON,
    ServiceRefused,
    ServiceUnreachable,
    UnexpectedAnswer,
)
from services.cli.terminal.sending import RETRY_S_DEFAULT, WORTH_SENDING_AGAIN

NDJSON: Final = "application/x-ndjson"
READ_BYTES: Final = 1 << 16
# A problem lists what is wrong in a session of at most 100 KiB; an answer repeats less than that.
ANSWER_BYTES_MAX: Final = 1 << 22
# The service gives up on a line much sooner when its database is away.
SILENCE_S_MAX: Final = 120.0


class Broken(Exception):
    """An exchange ended before everything was answered; it can be resumed after a pause."""

    def __init__(self, reason: str, pause_s: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.pause_s = pause_s


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """Where a request goes, and who sends it."""

    url: httpx.URL
    authorization: str

    @property
    def place(self) -> str:
        """The address without the path, and without the name and password that it may hold."""
        return f"{self.url.scheme}://{self.url.netloc.decode()}"


class Exchange:
    """A request under way: `send` and `answers` run side by side. Both raise Broken."""

    def __init__(
        self, target: RequestTarget, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self._place = target.place
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT)
        self._write(
            h11.Request(
                method="POST",
                target=target.url.raw_path,
                headers=[
                    ("Host", target.url.netloc.decode("ascii")),
                    ("Authorization", target.authorization),
                    ("Content-Type", NDJSON),
                    ("Accept", f"{NDJSON}, {PROBLEM_JSON}"),
                    ("Prefer", "respond-async"),
                    ("Transfer-Encoding", "chunked"),
                ],
            )
        )

    async def send(self, content: bytes) -> None:
        """Send a part of the body, as soon as the service takes it."""
        try:
            self._write(h11.Data(content))
            await self._writer.drain()
        except (OSError, h11.LocalProtocolError) as error:
            raise Broken(_reason(error)) from error

    def end(self) -> None:
        """Say that the body is complete."""
        with suppress(h11.LocalProtocolError):  # The answer was complete before.
            self._write(h11.EndOfMessage())

    async def answers(self) -> AsyncIterator[bytes]:
        """Yield the lines of the answer. Raises ServiceRefused or UnexpectedAnswer as well."""
        response = await self._event()
        while isinstance(response, h11.InformationalResponse):
            response = await self._event()
        assert isinstance(response, h11.Response)
        if response.status_code != HTTPStatus.OK:
            raise await self._refusal(response)
        kind = _kind(response)
        if kind != NDJSON:
            raise UnexpectedAnswer(self._place, f"{response.status_code} with {kind or 'nothing'}")
        begun = b""
        while isinstance(event := await self._event(), h11.Data):
            *lines, begun = (begun + event.data).split(b"\n")
            if len(begun) > ANSWER_BYTES_MAX:
                raise UnexpectedAnswer(self._place, "with a line that never ends")
            for line in lines:
                yield line

    async def _refusal(self, response: h11.Response) -> Exception:
        """Return what to raise for an answer to the request as a whole."""
        status = response.status_code
        if status in WORTH_SENDING_AGAIN:
            asked = _header(response, b"retry-after")
            pause_s = float(asked) if asked.isascii() and asked.isdigit() else RETRY_S_DEFAULT
            return Broken(f"{self._place} answers {status}", pause_s)
        content = b""
        while isinstance(event := await self._event(), h11.Data):
            content += event.data
            if len(content) > ANSWER_BYTES_MAX:
                break
        kind = _kind(response)
        problem = _parsed(content) if kind == PROBLEM_JSON else None
        if problem is not None:
            return ServiceRefused(problem)
        where = _header(response, b"location")
        moved = f", to {where}," if where else ""
        return UnexpectedAnswer(self._place, f"{status}{moved} with {kind or 'nothing'}")

    async def _event(self) -> h11.Event:
        while True:
            try:
                event = self._http.next_event()
            except h11.RemoteProtocolError as error:
                raise Broken(_reason(error)) from error
            if event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                raise Broken("the answer broke off")
            if event is not h11.NEED_DATA:
                assert not isinstance(event, type)
                return event
            try:
                async with asyncio.timeout(SILENCE_S_MAX):
                    self._http.receive_data(await self._reader.read(READ_BYTES))
            except TimeoutError:
                raise Broken(f"no answer came for {SILENCE_S_MAX:.0f} s") from None
            except OSError as error:
                raise Broken(_reason(error)) from error

    def _write(self, event: h11.Event) -> None:
        content = self._http.send(event)
        assert content is not None
        self._writer.write(content)


@asynccontextmanager
async def open_exchange(target: RequestTarget) -> AsyncIterator[Exchange]:
    """Open a connection and start the request on it. Raises ServiceUnreachable."""
    url = target.url
    context = httpx.create_ssl_context() if url.scheme == "https" else None
    port = url.port or (443 if context else 80)
    try:
        async with asyncio.timeout(CONNECT_S_MAX):
            reader, writer = await asyncio.open_connection(
                url.raw_host.decode("ascii").strip("[]"), port, ssl=context
            )
    except TimeoutError as error:
        raise ServiceUnreachable(target.place, "it does not answer") from error
    except OSError as error:
        raise ServiceUnreachable(target.place, _reason(error)) from error
    try:
        yield Exchange(target, reader, writer)
    finally:
        # What has not been sent yet is of no use anymore.
        writer.transport.abort()


def _kind(response: h11.Response) -> str:
    return _header(response, b"content-type").partition(";")[0].strip().lower()


def _header(response: h11.Response, name: bytes) -> str:
    return next((value.decode("latin-1") for key, value in response.headers if key == name), "")


def _parsed(content: bytes) -> dict[str, Any] | None:
    try:
        parsed = orjson.loads(content)
    except orjson.JSONDecodeError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _reason(error: Exception) -> str:
    said = error.strerror if isinstance(error, OSError) else None
    words = (said or str(error) or type(error).__name__).rstrip(".")
    return words[:1].lower() + words[1:]
