"""The routes for a player's history, the reason for a change, and the formula."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Final

from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.merged import MERGED_RESPONSE, to_survivor
from services.projections.answering.parameters import Cursor, MinSeq, SessionDate
from services.projections.answering.people import NoPublicPlayer, read_names
from services.projections.answering.reading import ViewReader
from services.projections.history.answers import (
    AnyWhy,
    ChangedRounds,
    FormulaAnswer,
    History,
    Why,
    WhyCorrected,
)
from services.projections.history.answers import Band as ShownBand
from services.projections.history.entries import END_PLACE, ChangePlace, CorrectionEntry
from services.projections.history.queries import (
    read_adoption,
    read_change,
    read_history,
    read_sessions,
)
from services.projections.history.replays import Replays
from services.projections.history.shown import (
    players_in,
    shown_change,
    shown_changed_round,
    shown_correction,
    shown_reason,
)
from shared.answers import points
from shared.errors import MahjicError
from shared.http.conditional import public_json
from shared.http.player_ids import PlayerIdPath, read_id
from shared.http.responses import problem_responses
from shared.http.routes import Route, handed_in
from shared.ids import PLAYER_ID_PATTERN
from shared.rating.bands import BANDS, RatingBand

# What a change did never changes, but the privacy of someone in it may.
MAX_AGE_S: Final = 5
FORMULA_MAX_AGE_S: Final = 60
CHANGES_MAX: Final = 200
ROUND_NO_MAX: Final = 32_767
_PLAYER_ID: Final = re.compile(PLAYER_ID_PATTERN)
_CHANGE_ID: Final = re.compile(
    r"(?P<player>[^.]+)\.(?P<fact>[1-9][0-9]{0,17})(?:\.(?P<round>[1-9][0-9]{0,4}))?"
)


class UnknownChange(MahjicError):
    """The player has no change with that id."""

    code = "unknown_change"
    title = "There is no such change"
    status = 404

    def __init__(self) -> None:
        super().__init__("The player has no change with this id. The history lists all changes.")


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """The page of a history that is asked for."""

    first_date: date | None
    last_date: date | None
    cursor: str | None
    limit: int


def history_request(
    first_date: Annotated[
        SessionDate | None,
        Query(
            alias="from",
            description="Sessions on or after this date, and corrections made on or after it.",
        ),
    ] = None,
    last_date: Annotated[
        SessionDate | None,
        Query(
            alias="to",
            description="Sessions on or before this date, and corrections made on or before it.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Annotated[
        int, Query(ge=1, le=CHANGES_MAX, description=("How many changes to return at most."))
    ] = 50,
) -> HistoryRequest:
    """Read which page is asked for."""
    return HistoryRequest(first_date, last_date, cursor, limit)


@dataclass(frozen=True, slots=True)
class Histories:
    """What the history routes need. `replays` finds the rounds that a correction changed."""

    reader: ViewReader
    replays: Replays


HistoryPorts = Annotated[Histories, handed_in(Histories)]
ChangeIdPath = Annotated[
    str,
    Path(
        max_length=60,
        description="The `change_id` of the history: player, fact, round; a correction "
        "has no round.",
        examples=["MJ-7K3Q9XZM.7.1"],
    ),
]
RoundsMax = Annotated[
    int,
    Query(ge=1, le=CHANGES_MAX, description=("How many rounds of a correction to return at most.")),
]


async def get_history(
    request: Request,
    player_id: PlayerIdPath,
    asked: Annotated[HistoryRequest, Depends(history_request)],
    histories: HistoryPorts,
    min_seq: MinSeq = None,
) -> Response:
    """List every change in a player's ratings, newest first, in log order.

    Rounds appear as they were rated and published. A later correction is a separate entry, so
    1500.00 plus all changes gives the current rating. The list includes the changes of every id
    that is merged into the player (`played_as`).
    """
    who = read_id(player_id)
    try:
        answer = await _history(histories.reader.since(min_seq), who, asked)
    except NoPublicPlayer:
        return await to_survivor(request, histories.reader, who)
    return public_json(request, answer, MAX_AGE_S)


async def get_change(
    request: Request,
    player_id: PlayerIdPath,
    change_id: ChangeIdPath,
    histories: HistoryPorts,
    *,
    cursor: Cursor = None,
    limit: RoundsMax = 50,
    min_seq: MinSeq = None,
) -> Response:
    """Show the full reason for one change. Its parts add up to the change exactly.

    For a round, the parts are the comparisons with each opponent, in the numbers as published. For
    a correction, they are the player's rounds whose numbers changed. Those are found by replaying
    all facts without the correction and with it. Until that is done, the answer is 503
    `being_computed`.
    """
    who, reader = read_id(player_id), histories.reader
    try:
        seq, entry = await read_change(reader.since(min_seq), who, _read_change_id(change_id))
    except NoPublicPlayer:
        return await to_survivor(request, reader, who)
    if entry is None:
        raise UnknownChange
    names = await read_names(reader, players_in(entry))
    if isinstance(entry, CorrectionEntry):
        start = _read_start(cursor, entry.place.change_id)
        answer: Why | WhyCorrected = {
            **shown_correction(entry, who, names),
            "player_id": who,
            "players_moved": entry.moved,
            **await _changed_rounds(histories, entry.place, start, limit),
            "seq": seq,
        }
    else:
        answer = shown_reason(entry, who, names, seq=seq)
    return public_json(request, answer, MAX_AGE_S)


async def get_formula(
    request: Request, histories: HistoryPorts, min_seq: MinSeq = None
) -> Response:
    """Show the name of the formula in force, all its numbers, and the rating bands."""
    seq, name, parameters = await read_adoption(histories.reader.since(min_seq))
    answer: FormulaAnswer = {
        "seq": seq,
        "name": name,
        "parameters": parameters,
        "bands": [_shown_band(band) for band in BANDS],
    }
    return public_json(request, answer, FORMULA_MAX_AGE_S)


async def _history(reader: ViewReader, who: str, asked: HistoryRequest) -> History:
    """Return a page of a history. Raises NoPublicPlayer and WrongCursor."""
    page = await read_history(
        reader,
        who,
        before=_read_place(asked.cursor, who),
        first_date=asked.first_date,
        last_date=asked.last_date,
        limit=asked.limit,
    )
    names = await read_names(reader, (each for entry in page.entries for each in players_in(entry)))
    next_cursor = None
    if page.has_more:
        last = page.entries[-1].place
        next_cursor = write_cursor(who, last.fact_seq, last.round_no, last.player_id)
    return {
        "player_id": who,
        "seq": page.seq,
        "correcting": shown_correcting(page.correcting),
        "changes": [shown_change(entry, who, names) for entry in page.entries],
        "next_cursor": next_cursor,
    }


async def _changed_rounds(
    histories: Histories, place: ChangePlace, start: int, limit: int
) -> ChangedRounds:
    """Return a page of the rounds that a correction gave new numbers. Raises BeingComputed."""
    changed = await histories.replays.changed_rounds(place.player_id, place.fact_seq)
    if changed is None:
        return {"rounds_count": None, "rounds": None, "next_cursor": None}
    page = changed[start : start + limit]
    sessions = await read_sessions(histories.reader, sorted({each.fact_seq for each in page}))
    end = start + limit
    return {
        "rounds_count": len(changed),
        "rounds": [shown_changed_round(each, sessions[each.fact_seq]) for each in page],
        "next_cursor": write_cursor(place.change_id, end) if end < len(changed) else None,
    }


def _read_place(cursor: str | None, player_id: str) -> ChangePlace:
    if cursor is None:
        return END_PLACE
    whose, fact_seq, round_no, moved = read_cursor(cursor, str, int, int, str)
    assert isinstance(fact_seq, int)
    assert isinstance(round_no, int)
    assert isinstance(moved, str)
    is_place = 0 <= round_no <= ROUND_NO_MAX and _PLAYER_ID.fullmatch(moved) is not None
    if whose != player_id or not is_place:
        raise WrongCursor
    return ChangePlace(fact_seq, round_no, moved)


def _read_start(cursor: str | None, change_id: str) -> int:
    if cursor is None:
        return 0
    which, start = read_cursor(cursor, str, int)
    if which != change_id or not isinstance(start, int) or start < 0:
        raise WrongCursor
    return start


def _read_change_id(change_id: str) -> ChangePlace:
    """Return the place that a change id names. Raises UnknownChange if it is not a change id."""
    match = _CHANGE_ID.fullmatch(change_id)
    if match is None or int(match["round"] or 0) > ROUND_NO_MAX:
        raise UnknownChange
    return ChangePlace(int(match["fact"]), int(match["round"] or 0), read_id(match["player"]))


def _shown_band(band: RatingBand) -> ShownBand:
    centi_min = band.rating_centi_min
    return {
        "name": band.name,
        "rating_min": None if centi_min is None else points(centi_min),
        "text": band.text,
    }


HISTORY_ROUTES: Final = (
    Route(
        "GET",
        "/v1/players/{player_id}/history",
        get_history,
        "A player's history",
        tag="read",
        responses={
            200: {"model": History},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
    Route(
        "GET",
        "/v1/players/{player_id}/changes/{change_id}",
        get_change,
        "Why a rating changed",
        tag="read",
        responses={
            200: {"model": AnyWhy},
            **MERGED_RESPONSE,
            **problem_responses(404, 422, 429, 503),
        },
    ),
    Route(
        "GET",
        "/v1/formula",
        get_formula,
        "The formula in use",
        tag="read",
        responses={200: {"model": FormulaAnswer}, **problem_responses(429, 503)},
    ),
)
