"""Answers with a player's history, why a rating changed, and the formula in force.

For everyone who asks, in one shape.
"""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.names import Names
from services.projections.answering.people import read_names
from services.projections.answering.reading import ViewReader
from services.projections.history.answers import (
    Adoption,
    ChangedRounds,
    Correction,
    FormulaAnswer,
    History,
    Why,
    WhyCorrected,
)
from services.projections.history.answers import Band as ShownBand
from services.projections.history.entries import (
    END_PLACE,
    ChangePlace,
    CorrectionEntry,
    HistoryEntry,
)
from services.projections.history.queries import (
    HistoryPage,
    read_adoption,
    read_adoptions,
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
from shared.http.player_ids import read_id
from shared.ids import PLAYER_ID_PATTERN
from shared.rating.bands import BANDS, RatingBand

CHANGES_DEFAULT: Final = 50
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

    first_date: date | None = None
    last_date: date | None = None
    cursor: str | None = None
    limit: int = CHANGES_DEFAULT


@dataclass(frozen=True, slots=True)
class Histories:
    """What the history routes need. `replays` finds the rounds that a correction changed."""

    reader: ViewReader
    replays: Replays


@dataclass(frozen=True, slots=True)
class ProvedReason:
    """A change and its reason, without the rounds that a correction gave new numbers."""

    place: ChangePlace
    why: Why | Correction


@dataclass(frozen=True, slots=True)
class ReasonPage:
    """A page of changes with their reasons, newest first, and the fact that it is as of."""

    seq: int
    reasons: list[ProvedReason]
    next_cursor: str | None


async def answer_history(reader: ViewReader, who: str, asked: HistoryRequest) -> History:
    """Return a page of a history. Raises NoPublicPlayer and WrongCursor."""
    page, names = await _read_page(reader, who, asked)
    return {
        "player_id": who,
        "seq": page.seq,
        "correcting": shown_correcting(page.correcting),
        "changes": [shown_change(entry, who, names) for entry in page.entries],
        "next_cursor": _next_cursor(page, who),
    }


async def answer_reason(reader: ViewReader, who: str, change_id: str) -> ProvedReason:
    """Return why one change was made. Raises NoPublicPlayer, UnknownChange, MistypedPlayerId."""
    seq, entry = await read_change(reader, who, _read_change_id(change_id))
    if entry is None:
        raise UnknownChange
    return _reason(entry, who, await read_names(reader, players_in(entry)), seq)


async def answer_reasons(reader: ViewReader, who: str, asked: HistoryRequest) -> ReasonPage:
    """Return a page of a history with reasons. Raises NoPublicPlayer and WrongCursor."""
    page, names = await _read_page(reader, who, asked)
    reasons = [_reason(entry, who, names, page.seq) for entry in page.entries]
    return ReasonPage(page.seq, reasons, _next_cursor(page, who))


async def answer_change(
    histories: Histories,
    who: str,
    change_id: str,
    *,
    cursor: str | None = None,
    limit: int = CHANGES_DEFAULT,
    seq_min: int | None = None,
) -> Why | WhyCorrected:
    """Return the full reason for one change.

    Raises NoPublicPlayer, UnknownChange, MistypedPlayerId, WrongCursor and BeingComputed.
    """
    reader = histories.reader
    seq, entry = await read_change(reader.since(seq_min), who, _read_change_id(change_id))
    if entry is None:
        raise UnknownChange
    names = await read_names(reader, players_in(entry))
    if not isinstance(entry, CorrectionEntry):
        return shown_reason(entry, who, names, seq=seq)
    start = _read_start(cursor, entry.place.change_id)
    return {
        **shown_correction(entry, who, names),
        "player_id": who,
        "players_moved": entry.moved,
        **await _changed_rounds(histories, entry.place, start, limit),
        "seq": seq,
    }


async def answer_formula(reader: ViewReader) -> FormulaAnswer:
    """Return the formula in force, with all its numbers, and the rating bands."""
    seq, name, parameters, proposal = await read_adoption(reader)
    return {
        "seq": seq,
        "name": name,
        "parameters": parameters,
        "proposal": proposal,
        "bands": [_shown_band(band) for band in BANDS],
    }


async def answer_adoptions(reader: ViewReader) -> list[Adoption]:
    """Return every formula that was ever adopted, the newest first."""
    return [
        {"fact_seq": fact_seq, "formula": formula, "proposal": proposal}
        for fact_seq, formula, proposal in await read_adoptions(reader)
    ]


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


async def _read_page(
    reader: ViewReader, who: str, asked: HistoryRequest
) -> tuple[HistoryPage, Names]:
    page = await read_history(
        reader,
        who,
        before=_read_place(asked.cursor, who),
        first_date=asked.first_date,
        last_date=asked.last_date,
        limit=asked.limit,
    )
    names = await read_names(reader, (each for entry in page.entries for each in players_in(entry)))
    return page, names


def _next_cursor(page: HistoryPage, who: str) -> str | None:
    if not page.has_more:
        return None
    last = page.entries[-1].place
    return write_cursor(who, last.fact_seq, last.round_no, last.player_id)


def _reason(entry: HistoryEntry, who: str, names: Names, seq: int) -> ProvedReason:
    why = (
        shown_correction(entry, who, names)
        if isinstance(entry, CorrectionEntry)
        else shown_reason(entry, who, names, seq=seq)
    )
    return ProvedReason(entry.place, why)


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
