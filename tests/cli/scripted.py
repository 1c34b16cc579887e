"""A service over real HTTP that gives the answers it was told to, one after the other."""

import contextlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from tests.servers import running


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Told:
    """An answer to give; None for a status hangs up instead."""

    status: int | None
    content: object = None
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


class ScriptedService:
    """Answers with `told` in order, the last one again and again, and remembers what was asked.

    Who looks people up gets `found` instead, and is remembered apart.
    """

    def __init__(self, *told: Told) -> None:
        self.told = list(told)
        self.asked: list[Asked] = []
        self.found = Told(200, {"seq": 1, "people": [], "has_more": False})
        self.looked_up: list[Asked] = []
        self.arrived = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._while_open = contextlib.ExitStack()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._while_open.enter_context(running(self._server))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.may_answer.set()
        self._while_open.close()

    def answer(self, asked: Asked) -> Told:
        """Remember a request, and return what it is told."""
        if asked.path == "/v1/people/lookup":
            self.looked_up.append(asked)
            return self.found
        self.asked.append(asked)
        self.arrived.set()
        self.may_answer.wait()
        return self.told.pop(0) if len(self.told) > 1 else self.told[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def do_PUT(self) -> None:
                self._answer()

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                told = service.answer(Asked(self.command, self.path, dict(self.headers), body))
                if told.status is None:
                    return
                # Who was interrupted does not wait for the answer.
                with contextlib.suppress(ConnectionError):
                    self._send(told.status, told)

            def _send(self, status: int, told: Told) -> None:
                content = told.content
                sent = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in {"Content-Type": told.kind, **told.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            def log_message(self, *_arguments: object) -> None:
                """Say nothing: the test looks at `asked`."""

        return Handler
