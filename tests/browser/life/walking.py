"""A stranger who opens everything that the site leads to, and the interface for programs beside."""

import re
from collections.abc import Iterable
from html import unescape
from typing import Final
from urllib.parse import urlsplit

import httpx

_HREF: Final = re.compile(r"(?:href|src|content)=\"(/[^\"]*|https?://[^\"]+)\"")
_LOC: Final = re.compile(r"<loc>([^<]+)</loc>")
PAGES_MAX: Final = 400


async def walk(client: httpx.AsyncClient, starts: Iterable[str]) -> dict[str, str]:
    """Return what every page says that can be reached from some, and its path and headers."""
    waiting, seen = list(starts), dict[str, str]()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        assert len(seen) < PAGES_MAX, sorted(seen)
        answer = await client.get(path, headers={"Accept": "text/html,*/*"})
        assert answer.status_code < 500, path
        is_text = "image/" not in answer.headers.get("content-type", "")
        seen[path] = answer.text if is_text else ""
        for found in (*_HREF.findall(seen[path]), *_LOC.findall(seen[path])):
            target = urlsplit(str(client.base_url.join(unescape(found))))
            if target.netloc == client.base_url.netloc.decode() and _is_worth_it(target.path):
                waiting.append(target.path + (f"?{target.query}" if target.query else ""))
    return seen


def _is_worth_it(path: str) -> bool:
    """Leave out files and the reference for developers, where nobody stands."""
    return not path.startswith(("/static/", "/developers/", "/account", "/login", "/me"))
