"""A site that is not Mahjic's, with a policy of its own, and somebody who looks at its pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, Literal

from playwright.async_api import Browser, ConsoleMessage, Error, Page, Request
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.browser.visitors import ANSWERED_WITH_ERROR, FAULTY, WAIT_MS_MAX
from tests.http.serving import serving

STYLE: Final = ":root { color-scheme: light dark; }\n.own { --mahjic-text: rgb(1, 2, 3); }\n"
# Nothing but scripts of Mahjic, and what they ask it: no style in a page, no picture, no font.
STRICT: Final = (
    "default-src 'none'; script-src {mahjic}; connect-src {mahjic}; style-src 'self'; "
    "frame-src 'self' {mahjic}; require-trusted-types-for 'script'"
)
NO_ANSWER: Final = "Failed to load resource: net::"


def a_page(mahjic: str, body: str) -> str:
    """Return a page of a club that shows something of Mahjic."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Our club</title>'
        '<link rel="stylesheet" href="/style.css">'
        f'<script type="module" src="{mahjic}/embed.js"></script></head>'
        f"<body><main><h1>Our club</h1>{body}</main></body></html>"
    )


@dataclass
class Club:
    """The site of a club: its address, and its pages by their paths."""

    url: str
    mahjic: str
    pages: dict[str, str] = field(default_factory=dict)

    def shows(self, body: str, path: str = "/") -> str:
        """Put a page on the site, and return its address."""
        self.pages[path] = a_page(self.mahjic, body)
        return self.url + path


@asynccontextmanager
async def a_club(mahjic: str) -> AsyncIterator[Club]:
    """Serve the site of a club on an origin of its own."""
    club = Club("", mahjic)

    async def page(asked: Asked) -> Response:
        policy = {"Content-Security-Policy": STRICT.format(mahjic=mahjic)}
        found = club.pages.get(asked.url.path)
        if found is None:
            return PlainTextResponse("No such page.", 404)
        return Response(found, media_type="text/html", headers=policy)

    async def style(_asked: Asked) -> Response:
        return Response(STYLE, media_type="text/css")

    app = Starlette(routes=[Route("/style.css", style), Route("/{path:path}", page)])
    async with serving(app, deadline_s=None) as served:
        club.url = f"http://127.0.0.1:{served.port}"
        yield club


@dataclass
class Reader:
    """Somebody who reads a page of a club, what went wrong on it, and what it asked for."""

    page: Page
    faults: list[str] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def watch(self) -> None:
        """Note from now on what is asked for, and what goes wrong."""
        self.page.on("request", self._on_request)
        self.page.on("pageerror", self._on_error)
        self.page.on("console", self._on_console)

    def _on_request(self, request: Request) -> None:
        self.asked.append(request)

    def _on_error(self, error: Error) -> None:
        self.faults.append(str(error))

    def _on_console(self, told: ConsoleMessage) -> None:
        if told.type in FAULTY and not told.text.startswith((ANSWERED_WITH_ERROR, NO_ANSWER)):
            self.faults.append(told.text)


@asynccontextmanager
async def reading(
    browser: Browser, *, color_scheme: Literal["light", "dark"] = "light"
) -> AsyncIterator[Reader]:
    """Let somebody read pages; at the end nothing may have gone wrong but what did not answer."""
    async with await browser.new_context(
        color_scheme=color_scheme, reduced_motion="reduce", locale="en-US"
    ) as context:
        context.set_default_timeout(WAIT_MS_MAX)
        reader = Reader(await context.new_page())
        reader.watch()
        yield reader
        assert not reader.faults, "\n".join(reader.faults)
