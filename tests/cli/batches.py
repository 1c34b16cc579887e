"""A service over real HTTP that answers a batch while it is sent, line by line, as it was told."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import h11

# What a line is answered; None hangs up instead, and SILENCE leaves it and all others unanswered.
Answer = Mapping[str, Any] | None
SILENCE: Mapping[str, Any] = {}
Answering = Callable[[bytes], Answer]


def accepted(_line: bytes) -> Answer:
    """Answer that a session is recorded."""
    return {"status": 202, "replayed": False, "session": {"session_id": "ses_1"}}


def refused(code: str, status: int = 422) -> Answer:
    """Answer that a line is refused."""
    problem = {"status": status, "code": code, "detail": f"It is {code}."}
    return {"status": status, "problem": problem}


@dataclass
class BatchService:
    """Answers each line as `answering` says, and remembers the lines of each connection.

    `whole` is an answer to the requests as such instead: status, kind, content. Once it has
    answered the line `stops_behind` it says, as a service that stops, that it takes no other.
    """

    answering: Answering = accepted
    whole: tuple[int, str, bytes] | None = None
    stops_behind: bytes | None = None
    has_stopped: bool = False
    connections: list[list[bytes]] = field(default_factory=list)
    headers: dict[bytes, bytes] = field(default_factory=dict)
    url: str = ""
    _server: asyncio.Server | None = None

    @property
    def lines(self) -> Iterator[bytes]:
        """All lines that came, in order."""
        return (line for connection in self.connections for line in connection)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
            await writer.drain()
        except (ConnectionError, h11.RemoteProtocolError):
            pass  # Who sent it went away.
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h11.Connection(h11.SERVER)
        lines: list[bytes] = []
        self.connections.append(lines)
        begun = b""
        while True:
            event = http.next_event()
            if event is h11.NEED_DATA:
                http.receive_data(await reader.read(1 << 16))
            elif isinstance(event, h11.Request):
                self.headers = dict(event.headers)
                assert (event.method, event.target) == (b"POST", b"/v1/sessions/batch")
                if self.whole is not None:
                    self._write_whole(http, writer, *self.whole)
                    return
                kind = [("Content-Type", "application/x-ndjson")]
                write(writer, http, h11.Response(status_code=200, headers=kind))
            elif isinstance(event, h11.Data):
                *ended, begun = (begun + event.data).split(b"\n")
                for line in ended:
                    lines.append(line)
                    answer = self.answering(line)
                    if answer is None:
                        writer.write_eof()  # What was answered arrives; a reset would lose it.
                    if not answer:
                        while await reader.read(1 << 16):
                            continue
                        return
                    write(writer, http, said(len(lines), answer))
                    if line == self.stops_behind and not self.has_stopped:
                        stopped = refused("batch_stopped", 503)
                        write(writer, http, said(len(lines) + 1, stopped))
                        write(writer, http, h11.EndOfMessage())
                        self.has_stopped = True
                        return
            elif isinstance(event, h11.EndOfMessage):
                assert not begun, "Every line that is sent ends."
                write(writer, http, h11.EndOfMessage())
                return
            else:
                return

    def _write_whole(
        self,
        http: h11.Connection,
        writer: asyncio.StreamWriter,
        status: int,
        kind: str,
        body: bytes,
    ) -> None:
        headers = [("Content-Type", kind), ("Content-Length", str(len(body)))]
        write(writer, http, h11.Response(status_code=status, headers=headers))
        write(writer, http, h11.Data(body))
        write(writer, http, h11.EndOfMessage())


def said(number: int, answer: Answer) -> h11.Data:
    """Return the part of an answer that says what became of a line."""
    return h11.Data(json.dumps({"line": number, **(answer or {})}).encode() + b"\n")


def write(writer: asyncio.StreamWriter, http: h11.Connection, event: h11.Event) -> None:
    """Write a part of an answer."""
    content = http.send(event)
    assert content is not None
    writer.write(content)
