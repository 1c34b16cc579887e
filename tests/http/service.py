"""A small service on the building blocks, for tests to talk to, and the keys that it knows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import Annotated

import httpx
from fastapi import Depends, FastAPI, Query, Request
from prometheus_client import CollectorRegistry
from pydantic import BaseModel, ConfigDict, TypeAdapter
from starlette.responses import Response, StreamingResponse

from shared.documents import parse_strictly
from shared.errors import ServiceUnavailable
from shared.http.application import build_application
from shared.http.bodies import read_json_body
from shared.http.callers import Authenticate, Caller, require
from shared.http.conditional import private_json, public_json
from shared.http.health import Check
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.gate import RequestLimits
from shared.http.responses import problem_responses
from shared.http.routes import Route, add_routes

SOURCE_KEY = "mjk_" + "S" * 43
BIG_SOURCE_KEY = "mjk_" + "B" * 43
OPERATOR_KEY = "mjk_" + "0" * 43
UNKNOWN_KEY = "mjk_" + "u" * 43
BODY_BYTES_MAX = 1000

CALLERS = {
    SOURCE_KEY: Caller("source", "a-club", "key-1", None),
    BIG_SOURCE_KEY: Caller("source", "a-platform", "key-2", 5),
    OPERATOR_KEY: Caller("operator", None, "key-3", None),
}


class Note(BaseModel):
    """What the service takes."""

    model_config = ConfigDict(extra="forbid")
    count: int


NOTE = TypeAdapter(Note)


async def authenticate(key: str) -> Caller | None:
    """Know the three keys above, and no other."""
    return CALLERS.get(key)


def a_service(
    *,
    public_per_minute: int = 60,
    source_per_minute: int = 300,
    trusted_proxies: tuple[str, ...] = (),
    checks: dict[str, Check] | None = None,
    registry: CollectorRegistry | None = None,
    known_by: Authenticate = authenticate,
) -> FastAPI:
    """Return an application with routes of every kind."""
    app = build_application(
        version="1",
        authenticate=known_by,
        addresses=ClientAddresses([ip_network(text) for text in trusted_proxies]),
        limits=RequestLimits(public_per_minute, source_per_minute),
        registry=registry or CollectorRegistry(),
        checks=checks or {},
    )
    add_routes(app, ROUTES)
    return app


@asynccontextmanager
async def talking_to(app: FastAPI, address: str = "192.0.2.1") -> AsyncIterator[httpx.AsyncClient]:
    """Give a client of the application, which calls from an address."""
    transport = httpx.ASGITransport(app, client=(address, 1234))
    async with httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client:
        yield client


def with_key(key: str) -> dict[str, str]:
    """Return the header that sends an API key."""
    return {"Authorization": f"Bearer {key}"}


async def read_player(request: Request, player_id: str) -> Response:
    return public_json(request, {"id": player_id}, 10)


async def write_player(
    player_id: str, caller: Annotated[Caller, Depends(require("operator"))]
) -> Response:
    return private_json({"id": player_id, "by": caller.key_id})


async def read_board(request: Request, limit: int = Query(50, ge=1, le=200)) -> Response:
    return public_json(request, {"limit": limit}, 10)


async def write_note(
    request: Request, caller: Annotated[Caller, Depends(require("source"))]
) -> Response:
    note = parse_strictly(NOTE, await read_json_body(request, bytes_max=BODY_BYTES_MAX))
    return private_json({"count": note.count, "source": caller.source}, status=201)


async def fault(q: str = "") -> Response:
    raise RuntimeError("alice@example.com is already taken")


async def fault_halfway() -> Response:
    async def parts() -> AsyncIterator[bytes]:
        yield b"half"
        raise RuntimeError("alice@example.com is already taken")

    return StreamingResponse(parts())


async def away() -> Response:
    raise ServiceUnavailable


ROUTES = (
    Route(
        "GET",
        "/v1/players/{player_id}",
        read_player,
        tag="test",
        operation_id="read_player",
    ),
    Route(
        "PUT",
        "/v1/players/{player_id}",
        write_player,
        tag="test",
        operation_id="write_player",
    ),
    Route(
        "GET",
        "/v1/board",
        read_board,
        tag="test",
        operation_id="read_board",
        responses=problem_responses(422, 429),
    ),
    Route(
        "POST",
        "/v1/notes",
        write_note,
        tag="test",
        operation_id="write_note",
        responses=problem_responses(401),
    ),
    Route("GET", "/v1/fault", fault, tag="test", operation_id="fault"),
    Route("GET", "/v1/fault-halfway", fault_halfway, tag="test", operation_id="fault_halfway"),
    Route("GET", "/v1/away", away, tag="test", operation_id="away"),
)
