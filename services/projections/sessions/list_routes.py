"""The route that lists a source's own sessions, with the ids needed to correct them."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

from fastapi import Depends, Query
from starlette.responses import Response

from services.projections.answering.parameters import (
    SOURCE_CHARACTERS_MAX,
    Cursor,
    MinSeq,
    Reader,
    SessionDate,
)
from services.projections.sessions.answers import SessionList
from services.projections.sessions.list_reads import AskedPage, answer_sessions
from services.projections.sessions.listing import Wanted
from services.projections.sources.queries import check_source
from shared.answers import SessionStatus
from shared.errors import InvalidParameter
from shared.http.callers import Caller, require
from shared.http.conditional import private_json
from shared.http.player_ids import read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route
from shared.ids import PLAYER_ID_CHARACTERS_MAX

PAGE_SESSIONS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class ListRequest:
    """The page that is asked for."""

    first_date: date | None
    last_date: date | None
    player: str | None
    status: SessionStatus | None
    source: str | None
    cursor: str | None
    limit: int


def list_request(
    *,
    first_date: Annotated[
        SessionDate | None, Query(alias="from", description="Sessions on or after this date.")
    ] = None,
    last_date: Annotated[
        SessionDate | None, Query(alias="to", description="Sessions on or before this date.")
    ] = None,
    player: Annotated[
        str | None,
        Query(
            max_length=PLAYER_ID_CHARACTERS_MAX,
            description="Only sessions this player was in, by Mahjic ID.",
            examples=["MJ-7K3Q9XZM"],
        ),
    ] = None,
    status: Annotated[
        SessionStatus | None, Query(description="Only sessions with this status today.")
    ] = None,
    source: Annotated[
        str | None,
        Query(
            max_length=SOURCE_CHARACTERS_MAX,
            description="Whose sessions; only the operator has to say so.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[
        int, Query(ge=1, le=PAGE_SESSIONS_MAX, description=("How many sessions to return at most."))
    ] = 50,
) -> ListRequest:
    """Read which page is asked for."""
    return ListRequest(first_date, last_date, player, status, source, cursor, limit)


async def get_sessions(
    caller: Annotated[Caller, Depends(require("source", "operator"))],
    asked: Annotated[ListRequest, Depends(list_request)],
    reader: Reader,
    min_seq: MinSeq = None,
) -> Response:
    """List a source's own sessions, newest day first, with the ids that changes need."""
    source = _source_of(asked, caller)
    player = None if asked.player is None else read_id(asked.player)
    wanted = Wanted(source, asked.first_date, asked.last_date, player, asked.status)
    page = AskedPage(wanted, asked.cursor, asked.limit)
    fresh = reader.since(min_seq)
    if caller.source is None:
        await check_source(fresh, source)
    return private_json(await answer_sessions(fresh, page, by=caller.source))


def _source_of(asked: ListRequest, caller: Caller) -> str:
    """Return the source whose sessions are asked for. Raises InvalidParameter."""
    if caller.source is not None:
        if asked.source not in {None, caller.source}:
            raise _invalid("not_yours", f"Your key belongs to {caller.source}. Leave `source` out.")
        return caller.source
    if asked.source is None:
        raise _invalid("missing", "Name the source whose sessions you want to see.")
    return asked.source


def _invalid(code: str, message: str) -> InvalidParameter:
    return InvalidParameter([{"pointer": "/query/source", "code": code, "message": message}])


SESSION_LIST_ROUTES: Final = (
    Route(
        "GET",
        "/v1/sessions",
        get_sessions,
        "List your sessions",
        tag="submit",
        operation_id="list_sessions",
        responses={
            200: {"model": SessionList},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    ),
)
