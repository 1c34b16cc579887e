"""Turns the problems that readers of the site meet into pages that say what to do.

Everything below answers errors in one way, as problem details. People get the same as a page: the
status and the other fields stay as they are.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import orjson
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.http.layer import HttpLayer
from shared.http.layers.paths import FILES_PATH, is_of_site
from shared.http.problems import PROBLEM_JSON

# Gives the page for a problem: a request's scope and the members of the problem to HTML.
ProblemPage: TypeAlias = Callable[[Scope, Mapping[str, Any]], Awaitable[bytes]]

_PAGE_TYPE: Final = b"text/html; charset=utf-8"
_OF_BODY: Final = frozenset({b"content-type", b"content-length"})
# As long as any header that says which types a client reads best; more is not looked at.
_ACCEPT_BYTES_MAX: Final = 1024


class ShowProblems(HttpLayer):
    """Shows problems as pages to those who asked for an address of the site, and read HTML."""

    def __init__(self, app: ASGIApp, *, page: ProblemPage) -> None:
        super().__init__(app)
        self._page = page

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with what lies below, problems as pages."""
        path = scope["path"]
        if not is_of_site(path) or path.startswith(FILES_PATH) or not _reads_pages(scope):
            await self.app(scope, receive, send)
            return
        shown = _Shown(self._page, scope, send)
        await self.app(scope, receive, shown.send)


class _Shown:
    """One answer on its way out; held back only if it is a problem, which is short."""

    def __init__(self, page: ProblemPage, scope: Scope, send: Send) -> None:
        self._page = page
        self._scope = scope
        self._send = send
        self._start: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and _is_problem(message):
            self._start = message
        elif self._start is None or message["type"] != "http.response.body":
            await self._send(message)
        else:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._show(self._start)

    async def _show(self, start: Message) -> None:
        page = await self._page(self._scope, orjson.loads(self._body))
        headers = [
            *((name, value) for name, value in start["headers"] if name not in _OF_BODY),
            (b"content-type", _PAGE_TYPE),
            (b"content-length", str(len(page)).encode()),
        ]
        await self._send({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": page})


def _is_problem(message: Message) -> bool:
    return any(
        name == b"content-type" and value.startswith(PROBLEM_JSON.encode())
        for name, value in message["headers"]
    )


def _reads_pages(scope: Scope) -> bool:
    """Return whether a client names HTML among what it reads, as every browser does."""
    return any(
        name == b"accept" and b"text/html" in value[:_ACCEPT_BYTES_MAX].lower()
        for name, value in scope["headers"]
    )
