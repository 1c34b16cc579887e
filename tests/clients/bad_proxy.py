"""A proxy in front of a service on which requests go wrong, each in its own way.

It runs in a thread, so that a client may block, or be a program of its own.
"""

import asyncio
import os
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Wrong = Literal["nothing", "request lost", "answer lost", "503", "429", "cut"]
WAYS: tuple[Wrong, ...] = ("request lost", "answer lost", "503", "429", "cut")
STOP_S_MAX = 30.0


@dataclass
class BadProxy:
    """Where it is, how often which thing went wrong, and what it still does to the next ones."""

    url: str
    service_port: int
    chance: random.Random
    share_wrong: float
    came: Counter[Wrong] = field(default_factory=Counter)
    _open: "set[asyncio.Task[None]]" = field(default_factory=set)

    @property
    def went_wrong(self) -> int:
        """How many requests went wrong."""
        return self.came.total() - self.came["nothing"]

    def next_wrong(self) -> Wrong:
        """Draw what happens to the next request."""
        wrong: Wrong = "nothing"
        if self.chance.random() < self.share_wrong:
            wrong = self.chance.choice(WAYS)
        self.came[wrong] += 1
        return wrong

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one connection, with one request on it."""
        task = asyncio.current_task()
        assert task is not None
        self._open.add(task)
        try:
            await self._pass_on(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            writer.transport.abort()  # One of the two has gone away.
        finally:
            self._open.discard(task)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await read_request(reader)
        wrong = self.next_wrong()
        if wrong == "request lost":
            writer.transport.abort()
        elif wrong in {"503", "429"}:
            writer.write(refusal(wrong))
            await writer.drain()
        else:
            answer = await self._answer(request)
            if wrong == "answer lost":
                writer.transport.abort()
                return
            if wrong == "cut":
                # Some of the body has come when the connection breaks, or only the head.
                head, _, body = answer.partition(b"\r\n\r\n")
                answer = head + b"\r\n\r\n" + body[: self.chance.randrange(max(1, len(body)))]
            writer.write(answer)
            await writer.drain()

    async def _answer(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.service_port)
        try:
            writer.write(request)
            await writer.drain()
            return await reader.read()
        finally:
            writer.close()

    async def stop(self) -> None:
        """End what is still on its way, such as a long poll."""
        for task in self._open:
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)


async def read_request(reader: asyncio.StreamReader) -> bytes:
    """Read a request, and return it as one after which the service closes the connection."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, *fields = head[:-4].split(b"\r\n")
    named = {name.lower(): value.strip() for name, _, value in (f.partition(b":") for f in fields)}
    if named.get(b"transfer-encoding", b"").lower() == b"chunked":
        body = await read_chunks(reader)
    else:
        body = await reader.readexactly(int(named.get(b"content-length", b"0")))
    kept = [each for each in fields if not each.lower().startswith((b"connection:", b"expect:"))]
    return b"\r\n".join([first, *kept, b"Connection: close", b"", body])


async def read_chunks(reader: asyncio.StreamReader) -> bytes:
    """Read a body in chunks, and return it as it came."""
    body = b""
    while True:
        size = await reader.readuntil(b"\r\n")
        chunk = await reader.readexactly(int(size.partition(b";")[0], 16) + 2)
        body += size + chunk
        if chunk == b"\r\n":
            return body


def refusal(status: str) -> bytes:
    """Return what a proxy answers by itself: no problem of Mahjic's, and when to come again."""
    body = b"<h1>Please come again.</h1>"
    head = f"HTTP/1.1 {status} Busy\r\nRetry-After: 0\r\nContent-Type: text/html\r\n"
    head += f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    return head.encode() + body


@contextmanager
def bad_proxy(
    service_url: str, *, share_wrong: float = 0.5, seed: int | None = None
) -> Iterator[BadProxy]:
    """Run a proxy to a service while the context is open; `seed` repeats what goes wrong.

    So does MAHJIC_SEED. Several requests at once take what goes wrong in the order they arrive.
    """
    if seed is None:
        seed = int(os.environ.get("MAHJIC_SEED") or random.randrange(2**32))
    print(f"MAHJIC_SEED={seed}")  # noqa: T201 - pytest shows it with a failure.
    port = urlsplit(service_url).port
    assert port is not None
    loop = asyncio.new_event_loop()
    proxy = BadProxy("", port, random.Random(seed), share_wrong)
    server = loop.run_until_complete(asyncio.start_server(proxy.serve, "127.0.0.1", 0, limit=2**20))
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, name="bad proxy")
    thread.start()
    try:
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(_stop(server, proxy), loop).result(STOP_S_MAX)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_S_MAX)
        loop.close()


async def _stop(server: asyncio.Server, proxy: BadProxy) -> None:
    server.close()
    await proxy.stop()
    await server.wait_closed()
