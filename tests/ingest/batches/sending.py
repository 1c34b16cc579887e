"""Sends batches to a service, in this process or over a connection, and reads what it answers."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx

from tests.ingest.claims import a_round, a_session
from tests.service import RunningService, bearer

BATCH = "/v1/sessions/batch"
LINES = "application/x-ndjson"
Line = dict[str, Any]


def a_night(number: int, **more: Any) -> Line:
    """Return a session of its own for each number: who won how often tells them apart."""
    return a_session(a_round(ada=number // 100 + 1, bo=number % 100 + 1), **more)


def body_of(*claims: object, end: str = "\n") -> bytes:
    """Return the body with a line for each claim; text is a line as it stands."""
    texts = (each if isinstance(each, str) else json.dumps(each) for each in claims)
    return "".join(text + end for text in texts).encode()


def without_words(line: Line) -> Line:
    """Return the answer to a line without what it says beside the session.

    Of so many nights of one table on one day only the newest are looked at for likeness.
    """
    return {**line["session"], "warnings": []}


async def send(
    service: RunningService, body: bytes | Iterable[bytes], key: str, **headers: str
) -> httpx.Response:
    """Send a batch, as a whole or in the parts that are given."""
    parts = [body] if isinstance(body, bytes) else list(body)

    async def stream() -> AsyncIterator[bytes]:
        for part in parts:
            yield part

    return await service.client.post(
        BATCH, content=stream(), headers={"Content-Type": LINES, **bearer(key), **headers}
    )


async def answers(
    service: RunningService, body: bytes | Iterable[bytes], key: str, **headers: str
) -> list[Line]:
    """Send a batch, and return the lines of its answer."""
    answer = await send(service, body, key, **headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == LINES
    return lines_of(answer.content)


def lines_of(content: bytes) -> list[Line]:
    """Return the lines of an answer, each of which must be whole."""
    assert content == b"" or content.endswith(b"\n")
    return [json.loads(line) for line in content.splitlines()]


def told(lines: Iterable[Line]) -> list[tuple[int, int]]:
    """Return the number and the status of each line."""
    return [(each["line"], each["status"]) for each in lines]


def codes(lines: Iterable[Line]) -> list[str]:
    """Return the code of each line's problem, or nothing where there is none."""
    return [each.get("problem", {}).get("code", "") for each in lines]


@dataclass
class Client:
    """A client that sends and reads as it likes."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def begin(self, key: str, **headers: str) -> None:
        """Send the head of a batch, and read that of the answer."""
        fields = {"Host": "mahjic", "Content-Type": LINES, "Transfer-Encoding": "chunked"}
        fields |= {**bearer(key), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.writer.write(f"POST {BATCH} HTTP/1.1\r\n{head}\r\n".encode())
        answer = await self.reader.readuntil(b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 "), answer

    def send(self, *claims: object) -> None:
        """Send lines."""
        self.send_bytes(body_of(*claims))

    def send_bytes(self, content: bytes) -> None:
        """Send a piece of the body."""
        self.writer.write(b"%x\r\n%b\r\n" % (len(content), content))

    async def send_forever(self, content: bytes) -> NoReturn:
        """Send the same again and again, until the connection breaks."""
        while True:
            self.send_bytes(content)
            await self.writer.drain()

    def end(self) -> None:
        """End the body."""
        self.writer.write(b"0\r\n\r\n")

    async def piece(self) -> bytes:
        """Return the next piece of the answer; nothing is its end."""
        size = int(await self.reader.readuntil(b"\r\n"), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def lines(self, count: int) -> list[Line]:
        """Return the next lines of the answer, so many or more of them."""
        content = b""
        while content.count(b"\n") < count:
            content += await self.piece()
        return lines_of(content)

    async def rest(self) -> list[Line]:
        """Return the other lines of the answer, to its end."""
        content = b""
        while piece := await self.piece():
            content += piece
        return lines_of(content)


@asynccontextmanager
async def connected(port: int) -> AsyncIterator[Client]:
    """Connect to a server of this machine, and break the connection at the end."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Client(reader, writer)
    finally:
        writer.transport.abort()
