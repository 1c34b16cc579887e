"""A server on this machine that plays the messages API: it answers as a test says."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

KEY: Final = "sk-test-0123456789"
MODEL: Final = "claude-test-1"


@dataclass(frozen=True)
class AskedRequest:
    """A request as it came over the line."""

    head: bytes
    body: bytes

    @property
    def document(self) -> Any:
        """The body, read."""
        return json.loads(self.body)

    @property
    def application(self) -> Any:
        """The one JSON value that the message is."""
        (message,) = self.document["messages"]
        return json.loads(message["content"])["application"]


@dataclass
class MessagesApi:
    """What it answers, and what it was asked."""

    url: str = ""
    status: int = 200
    # The body of the answer, as bytes of what was asked.
    answer: Callable[[AskedRequest], bytes] = lambda _: b"{}"
    headers: tuple[str, ...] = ()
    # It takes the request, and says nothing.
    is_silent: bool = False
    # It says how long its answer is, and hangs up in the middle.
    hangs_up: bool = False
    asked: list[AskedRequest] = field(default_factory=list)

    def advise(self, document: object, **other: object) -> None:
        """Answer with what the model gave the tool."""
        self.answer = lambda _: message(document, **other)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            (length,) = (
                int(line.partition(b":")[2])
                for line in head.splitlines()
                if line.lower().startswith(b"content-length:")
            )
            request = AskedRequest(head, await reader.readexactly(length))
            self.asked.append(request)
            if self.is_silent:
                await reader.read()
                return
            body = self.answer(request)
            extra = "".join(f"{each}\r\n" for each in self.headers)
            said = len(body) * 2 if self.hangs_up else len(body)
            start = f"HTTP/1.1 {self.status} X\r\ncontent-length: {said}\r\n{extra}\r\n"
            writer.write(start.encode() + body)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # The other side had enough.
        finally:
            writer.close()


def message(document: object, **other: object) -> bytes:
    """Return an answer in the shape of the API."""
    used = {"type": "tool_use", "id": "toolu_1", "name": "give_advice", "input": document}
    whole = {"type": "message", "role": "assistant", "content": [used], "stop_reason": "tool_use"}
    return json.dumps(whole | other).encode()


@asynccontextmanager
async def messages_api() -> AsyncIterator[MessagesApi]:
    """Give a server that plays the API, on a port of its own."""
    api = MessagesApi()
    server = await asyncio.start_server(api._serve, "127.0.0.1", 0)
    api.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/messages"
    try:
        yield api
    finally:
        server.close()
