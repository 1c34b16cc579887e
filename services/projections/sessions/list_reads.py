"""Answers with a page of a source's own sessions, to programs and to the pages of its desk."""

from dataclasses import dataclass
from datetime import date

from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.reading import ViewReader
from services.projections.sessions.answers import SessionList, SessionRow
from services.projections.sessions.listing import (
    FIRST_PLACE,
    ListedSession,
    PagePlace,
    Wanted,
    read_sessions,
)
from shared.answers.shown import COUNTING, named_player


@dataclass(frozen=True, slots=True)
class AskedPage:
    """The page of a list that is asked for."""

    wanted: Wanted
    cursor: str | None = None
    limit: int = 50

    @property
    def place(self) -> PagePlace:
        """Where the page starts. Raises WrongCursor."""
        if self.cursor is None:
            return FIRST_PLACE
        *filters, day, fact_seq = read_cursor(self.cursor, *[str] * 6, int)
        if tuple(filters) != _filters(self.wanted) or not isinstance(fact_seq, int):
            raise WrongCursor
        try:
            return PagePlace(date.fromisoformat(str(day)), fact_seq)
        except ValueError:
            raise WrongCursor from None


async def answer_sessions(reader: ViewReader, asked: AskedPage, *, by: str | None) -> SessionList:
    """Return a page of a source's sessions, as the source `by`, or the operator, may see them.

    Raises WrongCursor.
    """
    wanted = asked.wanted
    page = await read_sessions(reader, wanted, asked.place, asked.limit, by=by)
    next_cursor = None
    if (place := page.next_place) is not None:
        next_cursor = write_cursor(
            *_filters(wanted), place.session_date.isoformat(), place.fact_seq
        )
    return {
        "seq": page.seq,
        "source": wanted.source,
        "sessions": [_shown(each) for each in page.sessions],
        "next_cursor": next_cursor,
    }


def _filters(wanted: Wanted) -> tuple[str, str, str, str, str]:
    """Return what a cursor says about its list. It can only continue this same list."""
    dates = (wanted.first_date, wanted.last_date)
    said = (None if each is None else each.isoformat() for each in dates)
    first, last = (each or "" for each in said)
    return wanted.source, first, last, wanted.player_id or "", wanted.status or ""


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
