"""Sends what the methods of the client ask for: with the key, and to one server only."""

from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from mahjic_client.asking import Asked, LogPages, Pages, Read
from mahjic_client.driving import origin, run, run_async
from mahjic_client.trying import Patience, Steps

T = TypeVar("T")

# Longer than the service ever waits before it answers.
ANSWER_S_MAX = 60.0
USER_AGENT = "mahjic-client-python/0.1"


class KeyAuth(httpx.Auth):
    """Puts the key on requests to the server that it was given for, and on no other."""

    def __init__(self, key: str, url: str) -> None:
        if not (key.isascii() and key.isprintable()) or " " in key:
            raise ValueError("An API key has no spaces, line breaks or accents.")
        self._header = f"Bearer {key}"
        self._origin = origin(httpx.URL(url))

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Send the request with the key, if it goes where the key is for."""
        if origin(request.url) == self._origin:
            request.headers["Authorization"] = self._header
        yield request


def http_options(url: str, key: str | None) -> dict[str, Any]:
    """Return what both clients tell httpx."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("Give Mahjic's address in full, such as https://mahjic.example.org.")
    if parts.username is not None or parts.query or parts.fragment:
        raise ValueError("Mahjic's address has no user name, no ? and no #.")
    return {
        "base_url": url,
        "auth": None if key is None else KeyAuth(key, url),
        "timeout": ANSWER_S_MAX,
        "headers": {"user-agent": USER_AGENT},
    }


class Asks:
    """What all methods of the client that blocks stand on."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        patience: Patience | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._http = httpx.Client(transport=transport, **http_options(url, key))
        self._patience = patience or Patience()
        self._url = url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _run(self, steps: Steps[T]) -> T:
        return run(steps, self._http)

    def _ask(self, asked: Asked, read: Read[T]) -> T:
        return read(self._run(asked.steps(self._patience)))

    def _each(self, asked: Asked, pages: Pages | LogPages) -> Iterator[Any]:
        ahead: Asked | None = asked
        while ahead is not None:
            answer = self._run(ahead.steps(self._patience))
            yield from pages.rows_of(answer)
            ahead = pages.following(ahead, answer)


class AsyncAsks:
    """What all methods of the client that awaits stand on."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        patience: Patience | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._http = httpx.AsyncClient(transport=transport, **http_options(url, key))
        self._patience = patience or Patience()
        self._url = url

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._url!r})"

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _run(self, steps: Steps[T]) -> T:
        return await run_async(steps, self._http)

    async def _ask(self, asked: Asked, read: Read[T]) -> T:
        return read(await self._run(asked.steps(self._patience)))

    async def _each(self, asked: Asked, pages: Pages | LogPages) -> AsyncIterator[Any]:
        ahead: Asked | None = asked
        while ahead is not None:
            answer = await self._run(ahead.steps(self._patience))
            for row in pages.rows_of(answer):
                yield row
            ahead = pages.following(ahead, answer)
