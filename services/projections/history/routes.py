"""The routes of a player's history, of the reason for a change, and of the formula."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request
from pydantic import BeforeValidator
from starlette.responses import Response

from services.projections.cursors import (
    CURSOR_CHARACTERS_MAX,
    CURSOR_PATTERN,
    WrongCursor,
    read_cursor,
    write_cursor,
)
from services.projections.history.models import FormulaAnswer, History, Why
from services.projections.history.queries import (
    FACT_SEQ_MAX,
    read_adoption,
    read_change,
    read_history,
)
from services.projections.history.shown import shown_change, shown_reason
from services.projections.people import read_names
from services.projections.reading import ViewReader
from shared.answers import points
from shared.errors import MahjicError
from shared.http.conditional import public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.rating.bands import BANDS

# The numbers of a change never alter, but whether somebody in it is private may.
MAX_AGE_S: Final = 5
FORMULA_MAX_AGE_S: Final = 60
CHANGES_MAX: Final = 200
ROUND_NO_MAX: Final = 32_767
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_CHANGE_ID: Final = re.compile(
    r"(?P<player>[^.]+)\.(?P<fact>[1-9][0-9]{0,17})\.(?P<round>[1-9][0-9]{0,4})"
)


class UnknownChange(MahjicError):
    """The player has no change of that id."""

    code = "unknown_change"
    title = "There is no such change"
    status = 404

    def __init__(self) -> None:
        super().__init__("The player has no change of this id. The history lists all of them.")


def read_date(text: object) -> object:
    """Let nothing but YYYY-MM-DD through; pydantic would read 0 as 1970-01-01 too."""
    if not isinstance(text, str) or _DATE.fullmatch(text) is None:
        raise ValueError("A date is written YYYY-MM-DD.")
    return text


SessionDate = Annotated[date, BeforeValidator(read_date)]


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """Which page of a history is asked for."""

    first_date: date | None
    last_date: date | None
    cursor: str | None
    limit: int


def history_request(
    first_date: Annotated[
        SessionDate | None, Query(alias="from", description="Sessions on or after this date.")
    ] = None,
    last_date: Annotated[
        SessionDate | None, Query(alias="to", description="Sessions on or before this date.")
    ] = None,
    cursor: Annotated[
        str | None,
        Query(
            max_length=CURSOR_CHARACTERS_MAX,
            pattern=CURSOR_PATTERN,
            description="`next_cursor` of the page before.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=CHANGES_MAX, description="Changes at most.")] = 50,
) -> HistoryRequest:
    """Read which page is asked for."""
    return HistoryRequest(first_date, last_date, cursor, limit)


def history_routes(reader: ViewReader) -> APIRouter:
    """Return the routes that show what moved a rating, and why."""
    router = APIRouter(tags=["read"])

    @router.get(
        "/v1/players/{player_id}/history",
        summary="A player's history",
        response_model=None,
        responses={200: {"model": History}, **problem_responses(404, 422, 429, 503)},
    )
    async def get_history(
        request: Request,
        player_id: PlayerIdPath,
        asked: Annotated[HistoryRequest, Depends(history_request)],
    ) -> Response:
        """List every change of a player's ratings, the newest first, in the order of the log."""
        who = read_id(player_id)
        page = await read_history(
            reader,
            who,
            before=_read_place(asked.cursor, who),
            first_date=asked.first_date,
            last_date=asked.last_date,
            limit=asked.limit,
        )
        names = await read_names(reader, (p for each in page.changes for p in each.rated.players))
        next_cursor = None
        if page.has_more:
            last = page.changes[-1]
            next_cursor = write_cursor(who, last.fact_seq, last.round_no)
        answer = {
            "player_id": who,
            "seq": page.seq,
            "changes": [shown_change(each, who, names) for each in page.changes],
            "next_cursor": next_cursor,
        }
        return public_json(request, answer, MAX_AGE_S)

    @router.get(
        "/v1/players/{player_id}/changes/{change_id}",
        summary="Why a rating changed",
        response_model=None,
        responses={200: {"model": Why}, **problem_responses(404, 422, 429, 503)},
    )
    async def get_change(
        request: Request,
        player_id: PlayerIdPath,
        change_id: Annotated[
            str,
            Path(
                max_length=60,
                description="The `change_id` of the history: player, fact, round.",
                examples=["MJ-7K3Q9XZM.7.1"],
            ),
        ],
    ) -> Response:
        """Show the full reason for one change; its lines add up to the change exactly."""
        who = read_id(player_id)
        fact_seq, round_no = _read_change_id(change_id, who)
        change = await read_change(reader, who, fact_seq, round_no)
        if change is None:
            raise UnknownChange
        names = await read_names(reader, change.rated.players)
        return public_json(request, shown_reason(change, who, names), MAX_AGE_S)

    @router.get(
        "/v1/formula",
        summary="The formula that holds",
        response_model=None,
        responses={200: {"model": FormulaAnswer}, **problem_responses(429, 503)},
    )
    async def get_formula(request: Request) -> Response:
        """Show the name of the formula that holds, all its numbers, and the rating bands."""
        name, parameters = await read_adoption(reader)
        bands = [
            {
                "name": band.name,
                "rating_min": None
                if band.rating_centi_min is None
                else points(band.rating_centi_min),
                "text": band.text,
            }
            for band in BANDS
        ]
        answer = {"name": name, "parameters": parameters, "bands": bands}
        return public_json(request, answer, FORMULA_MAX_AGE_S)

    return router


def _read_place(cursor: str | None, player_id: str) -> tuple[int, int]:
    if cursor is None:
        return FACT_SEQ_MAX, 0
    whose, fact_seq, round_no = read_cursor(cursor, str, int, int)
    assert isinstance(fact_seq, int)
    assert isinstance(round_no, int)
    if whose != player_id or not 0 <= round_no <= ROUND_NO_MAX:
        raise WrongCursor
    return fact_seq, round_no


def _read_change_id(change_id: str, player_id: str) -> tuple[int, int]:
    """Return fact and round of a change id. What can't be one of this player's is unknown."""
    match = _CHANGE_ID.fullmatch(change_id)
    if match is None:
        return 0, 0
    if read_id(match["player"]) != player_id or int(match["round"]) > ROUND_NO_MAX:
        return 0, 0
    return int(match["fact"]), int(match["round"])
