"""The route that lists a source's own sessions, with the ids needed to correct them."""

from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

from fastapi import Depends, Query
from starlette.responses import Response

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.parameters import (
    SOURCE_CHARACTERS_MAX,
    Cursor,
    MinSeq,
    Reader,
    SessionDate,
)
from services.projections.sessions.answers import SessionList, SessionRow
from services.projections.sessions.listing import (
    FIRST_PLACE,
    ListedSession,
    PagePlace,
    Wanted,
    read_sessions,
)
from services.projections.sources.queries import check_source
from shared.answers import SessionStatus
from shared.answers.shown import COUNTING, named_player
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
    after = _read_place(asked, wanted)
    fresh = reader.since(min_seq)
    if caller.source is None:
        await check_source(fresh, source)
    page = await read_sessions(fresh, wanted, after, asked.limit, by=caller.source)
    next_cursor = None
    if (place := page.next_place) is not None:
        next_cursor = write_cursor(
            *_filters(wanted), place.session_date.isoformat(), place.fact_seq
        )
    answer: SessionList = {
        "seq": page.seq,
        "source": source,
        "sessions": [_shown(each) for each in page.sessions],
        "next_cursor": next_cursor,
    }
    return private_json(answer)


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


def _filters(wanted: Wanted) -> tuple[str, str, str, str, str]:
    """Return what a cursor says about its list. It can only continue this same list."""
    dates = (wanted.first_date, wanted.last_date)
    said = (None if each is None else each.isoformat() for each in dates)
    first, last = (each or "" for each in said)
    return wanted.source, first, last, wanted.player_id or "", wanted.status or ""


def _read_place(asked: ListRequest, wanted: Wanted) -> PagePlace:
    """Return where the page starts. Raises WrongCursor."""
    if asked.cursor is None:
        return FIRST_PLACE
    *filters, day, fact_seq = read_cursor(asked.cursor, *[str] * 6, int)
    if tuple(filters) != _filters(wanted) or not isinstance(fact_seq, int):
        raise WrongCursor
    try:
        return PagePlace(date.fromisoformat(str(day)), fact_seq)
    except ValueError:
        raise WrongCursor from None


def _shown(listed: ListedSession) -> SessionRow:
    is_dated = listed.session_date > date.min
    return {
        "session_id": listed.session_id,
        "session_date": listed.session_date if is_dated else None,
        "game_type": listed.game_type,
        "status": listed.status,
        "counts": listed.status in COUNTING,
        "reason": listed.reason,
        "rounds_count": listed.rounds_count,
        "players_count": listed.players_count,
        "players": [named_player(*each) for each in listed.seated],
        "submitted_at": listed.submitted_at,
        "corrects": listed.corrects,
        "corrected_by": listed.corrected_by,
        "fact_seq": listed.fact_seq,
    }


SESSION_LIST_ROUTES: Final = (
    Route(
        "GET",
        "/v1/sessions",
        get_sessions,
        "List your sessions",
        tag="submit",
        responses={
            200: {"model": SessionList},
            **problem_responses(401, 403, 404, 422, 429, 503),
        },
    ),
)
