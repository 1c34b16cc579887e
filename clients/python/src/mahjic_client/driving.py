"""What sends and waits for the steps of a request: with httpx, in a thread or in an event loop."""

import asyncio
import time
from typing import Any, TypeVar

import httpx

from mahjic_client.trying import Answer, Lost, Send, Steps, Wait

T = TypeVar("T")


def run(steps: Steps[T], http: httpx.Client) -> T:
    """Take steps one by one, in this thread, and return what they come to."""
    came: Answer | Lost | None = None
    while True:
        try:
            step = steps.send(came)
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(step, Wait):
            time.sleep(step.seconds)
            came = None
        else:
            came = _sent(step, http)


async def run_async(steps: Steps[T], http: httpx.AsyncClient) -> T:
    """Take steps one by one, without blocking the event loop, and return what they come to."""
    came: Answer | Lost | None = None
    while True:
        try:
            step = steps.send(came)
        except StopIteration as end:
            result: T = end.value
            return result
        if isinstance(step, Wait):
            await asyncio.sleep(step.seconds)
            came = None
        else:
            came = await _sent_async(step, http)


def _sent(send: Send, http: httpx.Client) -> Answer | Lost:
    content = bytearray()
    try:
        with http.stream(**_arguments(send)) as response:
            try:
                for part in response.iter_bytes():
                    content += part
            except httpx.RequestError:
                return _answer(response, bytes(content), is_cut=True)
            return _answer(response, bytes(content))
    except httpx.RequestError as lost:
        return Lost(str(lost) or type(lost).__name__)


async def _sent_async(send: Send, http: httpx.AsyncClient) -> Answer | Lost:
    content = bytearray()
    try:
        async with http.stream(**_arguments(send)) as response:
            try:
                async for part in response.aiter_bytes():
                    content += part
            except httpx.RequestError:
                return _answer(response, bytes(content), is_cut=True)
            return _answer(response, bytes(content))
    except httpx.RequestError as lost:
        return Lost(str(lost) or type(lost).__name__)


def _arguments(send: Send) -> dict[str, Any]:
    return {
        "method": send.method,
        "url": send.path,
        # An empty query would take away the one that stands in the path.
        "params": dict(send.query) or None,
        "headers": dict(send.headers),
        "content": send.content,
    }


def _answer(response: httpx.Response, content: bytes, *, is_cut: bool = False) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, content, is_cut, _moved_to(response))


def _moved_to(response: httpx.Response) -> str | None:
    """Return where an answer sends the same request, if it is on the same server."""
    if response.status_code not in {307, 308} or "location" not in response.headers:
        return None
    url = response.url.join(response.headers["location"])
    return str(url) if origin(url) == origin(response.url) else None


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Return what tells one server from another."""
    return url.scheme, url.host, url.port
