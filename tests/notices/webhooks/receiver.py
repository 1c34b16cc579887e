"""Servers of sources, for tests: each takes what is posted to it, and answers as it is told."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import orjson

HEAD_BYTES_MAX = 16_384


@dataclass(frozen=True)
class Request:
    """What arrived. The names of its headers are in small letters."""

    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> Any:
        """Return what the body tells."""
        return orjson.loads(self.body)


Answer: TypeAlias = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def says(status: int, body: str = "", **headers: str) -> Answer:
    """Return what answers everything in one way; `retry_after` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"HTTP/1.1 {status} Whatever", *(f"{name}: {it}" for name, it in named.items())]
    told = "\r\n".join([*lines, f"Content-Length: {len(body.encode())}", "", body]).encode()

    async def answer(_request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(told)

    return answer


@dataclass
class Receiver:
    """A server on this machine. It says `answers` at its paths, and what is `usual` elsewhere."""

    port: int = 0
    usual: Answer = field(default_factory=lambda: says(204))
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)
    _tasks: "set[asyncio.Task[None]]" = field(default_factory=set)

    def url(self, path: str = "/") -> str:
        """Return an address here."""
        return f"http://127.0.0.1:{self.port}{path}"

    def at(self, path: str) -> list[Request]:
        """Return what arrived at a path."""
        return [each for each in self.requests if each.path == path]

    async def until_there(self, count: int, path: str = "/") -> list[Request]:
        """Wait until so many requests have arrived at a path, and return them."""
        async with self._more, asyncio.timeout(60):
            await self._more.wait_for(lambda: len(self.at(path)) >= count)
        return self.at(path)

    def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take a request, beside the others."""
        self._tasks.add(asyncio.create_task(self._serve(reader, writer)))

    async def end(self) -> None:
        """Leave whoever still waits for an answer."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read(reader)
            async with self._more:
                self.requests.append(request)
                self._more.notify_all()
            await self.answers.get(request.path, self.usual)(request, writer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # Whoever asked is gone.
        finally:
            writer.close()


@asynccontextmanager
async def a_receiver(**how: Any) -> AsyncIterator[Receiver]:
    """Run a server; `how` may name `ssl` and `usual`."""
    receiver = Receiver(**{name: it for name, it in how.items() if name != "ssl"})
    server = await asyncio.start_server(
        receiver.connected, "127.0.0.1", receiver.port, ssl=how.get("ssl")
    )
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
        await receiver.end()


async def _read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    _method, path, _version = head[0].split(" ")
    fields = (line.partition(": ") for line in head[1:] if line)
    headers = {name.lower(): value for name, _, value in fields}
    return Request(path, headers, await reader.readexactly(int(headers["content-length"])))
