"""Joins the processes of Kafka mode behind one address, as a deployment's reverse proxy does."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from shared.http.wire.server import serve_until_stopped
from tests.http.serving import some_connections

ANSWER_S_MAX: Final = 60.0
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
# They are about one connection, and each side has its own.
OF_A_CONNECTION: Final = frozenset(
    {"connection", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}
)


@dataclass(frozen=True, slots=True)
class OneAddress:
    """The address, and what is done when a signal has stopped it, as it stops any server."""

    url: str
    serving: "asyncio.Task[None]"


@asynccontextmanager
async def one_address(url_for: Callable[[str, str], str]) -> AsyncIterator[OneAddress]:
    """Give an address that sends each request on to where its method and path go."""
    port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=ANSWER_S_MAX, limits=limits, trust_env=False) as client:

        async def forward(request: Request) -> Response:
            return await _forward(client, url_for(request.method, request.url.path), request)

        serving = asyncio.create_task(
            serve_until_stopped(
                Starlette(routes=[Route("/{path:path}", forward, methods=list(METHODS))]),
                "127.0.0.1",
                0,
                grace_s=ANSWER_S_MAX,
                connections=some_connections(),
                on_ready=port.set_result,
                stop=stop,
            )
        )
        try:
            yield OneAddress(f"http://127.0.0.1:{await port}", serving)
        finally:
            stop.set()
            await serving


async def _forward(client: httpx.AsyncClient, url: str, request: Request) -> Response:
    sent = client.build_request(
        request.method,
        url + request.url.path + (f"?{request.url.query}" if request.url.query else ""),
        headers=_passed_on(request.headers.raw),
        content=await request.body(),
    )
    try:
        answer = await client.send(sent, stream=True)
    except httpx.TransportError:
        problem = {"title": "The service is not ready", "status": 503, "code": "not_ready"}
        return JSONResponse(problem, 503, media_type="application/problem+json")
    try:
        content = b"".join([part async for part in answer.aiter_raw()])
    finally:
        await answer.aclose()
    response = Response(content, answer.status_code)
    response.raw_headers = _passed_on(answer.headers.raw)
    return response


def _passed_on(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower(), value)
        for name, value in headers
        if name.lower().decode() not in OF_A_CONNECTION
    ]
