"""The route by which sources read what happened to their sessions and players."""

import asyncio
from dataclasses import dataclass
from typing import Annotated, Final

import asyncpg
import orjson
from fastapi import Depends, Query, Request
from starlette.responses import Response

from services.ingest.claim.asked import prefer_header
from services.ingest.claim.headers import read_wait_s
from services.notices.answers import EventList
from services.notices.reading import ReadEvents, read_events
from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.errors import ServiceUnavailable
from shared.http.callers import Caller, is_still_allowed, require
from shared.http.conditional import private_json
from shared.http.problems import NotAllowed
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.json_text import INTEGER_MAX
from shared.notices.writing import NOTICES_CHANNEL
from shared.settings import Settings

EVENTS_PATH: Final = "/v1/events"
PAGE_EVENTS_MAX: Final = 500
NDJSON: Final = "application/x-ndjson"
# `next_after`, which lines have no place for.
NEXT_AFTER: Final = "Mahjic-Next-After"
# The longest time between two looks while somebody waits; a bell that is lost costs no more.
LOOK_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class EventDesk:
    """What the route needs. `stopping` is set once the process is told to stop."""

    pool: asyncpg.Pool
    bell: Bell
    settings: Settings
    stopping: asyncio.Event


async def get_events(
    request: Request,
    caller: Annotated[Caller, Depends(require("source"))],
    desk: Annotated[EventDesk, handed_in(EventDesk)],
    after: Annotated[
        int,
        Query(ge=0, le=INTEGER_MAX, description="`next_after` of the answer before; 0 at first."),
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=PAGE_EVENTS_MAX, description="How many to return at most.")
    ] = 100,
) -> Response:
    """List what happened to your sessions and players, in order; the same as webhooks say.

    With `Prefer: wait=30` it waits for the next event. With `Accept: application/x-ndjson`, each
    event is a line.
    """
    assert caller.source is not None
    loop = asyncio.get_running_loop()
    wait_s = read_wait_s(
        request.headers.getlist("prefer"), default_s=0.0, max_s=desk.settings.wait_s_max
    )
    until_s = loop.time() + wait_s
    found = await _read(desk, caller.source, after, limit)
    while not found.events and found.is_last and not desk.stopping.is_set():
        if (left_s := until_s - loop.time()) <= 0:
            break
        await desk.bell.wait_beyond(NOTICES_CHANNEL, INTEGER_MAX, min(left_s, LOOK_S))
        if not await is_still_allowed(request.scope):
            raise NotAllowed("The key was revoked, or its source suspended, in the meantime.")
        found = await _read(desk, caller.source, found.read_to, limit)
    return _answered(request, found)


async def _read(desk: EventDesk, source: str, after: int, limit: int) -> ReadEvents:
    try:
        return await read_events(desk.pool, source, after, limit)
    except DATABASE_AWAY as error:
        raise ServiceUnavailable from error


def _answered(request: Request, found: ReadEvents) -> Response:
    headers = {NEXT_AFTER: str(found.read_to)}
    if NDJSON in request.headers.get("accept", ""):
        lines = b"".join(orjson.dumps(each) + b"\n" for each in found.events)
        headers["Cache-Control"] = "no-store"
        return Response(lines, media_type=NDJSON, headers=headers)
    answer: EventList = {
        "events": list(found.events),
        "next_after": found.read_to,
        "is_last": found.is_last,
    }
    return private_json(answer, headers=headers)


EVENT_LIST_ROUTES: Final = (
    Route(
        "GET",
        EVENTS_PATH,
        get_events,
        "List what happened to your sessions and players",
        tag="submit",
        operation_id="list_events",
        responses={
            200: {
                "model": EventList,
                "content": {NDJSON: {"schema": {"type": "string"}}},
                "headers": {
                    NEXT_AFTER: {
                        "description": "The same as `next_after`.",
                        "schema": {"type": "string"},
                    }
                },
            },
            **problem_responses(401, 403, 410, 422, 429, 503),
        },
        extra={
            "parameters": [
                prefer_header("`wait=30` waits for the next event, 30 s at most."),
            ]
        },
    ),
)
