"""Keeps other sites from changing anything in the name of a visitor, and leads visitors home.

A browser says with each request which site caused it: in `Sec-Fetch-Site`, or on plain HTTP at
least in the `Origin` of what it sends. Cookies are sent along whoever caused the request, so what
changes something must have been caused by a page of ours. The interface for programs ignores
cookies, and needs none of this.
"""

from collections.abc import Callable, Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from shared.errors import MahjicError
from shared.http.layer import HttpLayer
from shared.http.layers.paths import FILES_PATH, ONE_CLICK_PATH, is_of_site
from shared.http.problems import problem_response

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK_ADDRESSES: Final = frozenset({"127.0.0.1", "::1"})
_LOOPBACK_NAME: Final = "localhost"


class CrossSite(MahjicError):
    """The request would change something, and no page of this site caused it."""

    code = "cross_site"
    title = "This came from another site"
    status = 403

    def __init__(self) -> None:
        super().__init__(
            "Nothing was changed, since the request did not come from a page of this site. Open "
            "the page here, and do it again. If your browser hides where requests come from, "
            "allow it for this site."
        )


class RefuseCrossSite(HttpLayer):
    """Answers 403 to what another site caused, when it would change something.

    `origin` gives where people find the site.
    """

    def __init__(self, app: ASGIApp, *, origin: Callable[[], str]) -> None:
        super().__init__(app)
        self._origin = origin

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what only reads, what is for programs, and what a page of ours caused."""
        path = scope["path"]
        is_free = scope["method"] in _READS or not is_of_site(path)
        # Mail programs end unwanted mail with a click, from nowhere (RFC 8058). The address itself
        # holds the right to it.
        is_free = is_free or path.startswith(ONE_CLICK_PATH)
        if is_free or is_from_here(scope["headers"], self._origin()):
            await self.app(scope, receive, send)
        else:
            await problem_response(CrossSite(), scope)(scope, receive, send)


def is_from_here(headers: Iterable[tuple[bytes, bytes]], origin: str) -> bool:
    """Return whether a page of the site at `origin` caused a request.

    Whatever a browser says must say so, and it must say something.
    """
    sites: list[bytes] = []
    origins: list[bytes] = []
    for name, value in headers:
        if name == b"sec-fetch-site":
            sites.append(value)
        elif name == b"origin":
            origins.append(value)
    if sites not in ([], [b"same-origin"]) or origins not in ([], [origin.encode()]):
        return False
    return bool(sites or origins)


class LeadHome(HttpLayer):
    """Leads whoever asks for a page at the loopback address to the same page at its name.

    Passkeys are bound to names, and cookies to the one that they were set under. Another port is
    another service, or a way to this one that only its owner knows.
    """

    def __init__(self, app: ASGIApp, *, origin: Callable[[], str]) -> None:
        super().__init__(app)
        self._origin = origin

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect, or pass on."""
        path, origin = scope["path"], self._origin()
        is_page = is_of_site(path) and not path.startswith(FILES_PATH)
        if is_page and scope["method"] in _READS and is_at_address(scope["headers"], origin):
            target = origin + _target_of(scope)
            answer = RedirectResponse(target, 307, headers={"Cache-Control": "no-store"})
            await answer(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def is_at_address(headers: Iterable[tuple[bytes, bytes]], origin: str) -> bool:
    """Return whether a request was sent to the loopback address of a site at `localhost`."""
    own = urlsplit(origin)
    if own.hostname != _LOOPBACK_NAME:
        return False
    host = next((value for name, value in headers if name == b"host"), b"").decode("latin-1")
    try:
        asked = urlsplit(f"//{host}")
        is_same_port = asked.port == own.port
    except ValueError:
        return False
    return is_same_port and asked.hostname in _LOOPBACK_ADDRESSES


def _target_of(scope: Scope) -> str:
    raw_path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope["query_string"]
    # An address that begins with two slashes would name a host.
    path = "/" + raw_path.decode("latin-1").lstrip("/")
    return f"{path}?{query.decode('latin-1')}" if query else path
