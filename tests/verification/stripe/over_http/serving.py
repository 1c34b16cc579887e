"""Serves HTTP/1.1 on this machine, and can hang up in the middle as no framework would."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self, TypeAlias
from urllib.parse import parse_qsl, urlsplit

import h11

Form: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked; names of headers are in lower case."""

    method: str
    path: str
    query: Form
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> Form:
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass(frozen=True, slots=True)
class Response:
    """What is answered."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


# None hangs up.
Handler: TypeAlias = Callable[[Request], Awaitable[Response | None]]


class Serving:
    """A server on a free port, while the context is open."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._connections: set[asyncio.Task[None]] = set()
        self._faults: list[BaseException] = []
        self._server: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for each in self._connections:
            each.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        if self._faults and error is None:
            raise self._faults[0]

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._converse(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """Remember what went wrong: whoever asked only sees that nobody answers."""
        self._connections.discard(task)
        fault = None if task.cancelled() else task.exception()
        if fault is not None and not isinstance(fault, ConnectionError):
            self._faults.append(fault)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            connection = h11.Connection(h11.SERVER)
            while request := await _next_request(connection, reader):
                response = await self._handler(request)
                if response is None:
                    writer.transport.abort()
                    return
                writer.write(_written(connection, response))
                await writer.drain()
                if connection.our_state is h11.MUST_CLOSE:
                    return
                connection.start_next_cycle()
        finally:
            writer.close()


def _written(connection: h11.Connection, response: Response) -> bytes:
    headers = {"Content-Length": str(len(response.body)), **response.headers}
    head = h11.Response(status_code=response.status, headers=list(headers.items()))
    events = (head, h11.Data(data=response.body), h11.EndOfMessage())
    return b"".join(connection.send(each) or b"" for each in events)


async def _next_request(connection: h11.Connection, reader: asyncio.StreamReader) -> Request | None:
    """Return the next request, whole, or None once nobody asks anymore."""
    head: h11.Request | None = None
    body = b""
    while True:
        event = connection.next_event()
        if event is h11.NEED_DATA:
            connection.receive_data(await reader.read(65_536))
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += bytes(event.data)
        elif isinstance(event, h11.EndOfMessage):
            assert head is not None
            return _request(head, body)
        else:
            return None


def _request(head: h11.Request, body: bytes) -> Request:
    target = urlsplit(head.target.decode())
    return Request(
        method=head.method.decode(),
        path=target.path,
        query=dict(parse_qsl(target.query, keep_blank_values=True)),
        headers={name.decode(): value.decode() for name, value in head.headers},
        body=body,
    )
