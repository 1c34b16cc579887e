"""Tells a player's history by session: rounds of one session together, corrections as they are."""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from services.projections.answering.correcting import shown_correcting
from services.projections.answering.cursors import WrongCursor, read_cursor, write_cursor
from services.projections.answering.names import Names
from services.projections.answering.people import read_names
from services.projections.answering.reading import ViewReader
from services.projections.history.entries import (
    END_PLACE,
    CorrectionEntry,
    HistoryEntry,
    Pool,
    RoundEntry,
)
from services.projections.history.session_answers import (
    SessionEntry,
    SessionHistory,
    SessionItem,
)
from services.projections.history.session_queries import read_session_page
from services.projections.history.shown import (
    players_in,
    shown_correction,
    shown_pool,
    shown_round,
)

_KIND: Final = "by session"


async def answer_sessions(reader: ViewReader, who: str, cursor: str | None) -> SessionHistory:
    """Return a page of a player's sessions. Raises NoPublicPlayer and WrongCursor."""
    found = await read_session_page(reader, who, _read_start(cursor, who))
    entries = found.page.entries
    names = await read_names(reader, (each for entry in entries for each in players_in(entry)))
    return {
        "player_id": who,
        "seq": found.page.seq,
        "correcting": shown_correcting(found.page.correcting),
        "items": shown_by_session(entries, who, names),
        "is_newest": found.is_newest,
        "newer_cursor": _write_start(who, found.newer_seq),
        "older_cursor": _write_start(who, found.older_seq),
    }


def shown_by_session(
    entries: Sequence[HistoryEntry], player_id: str, names: Names
) -> list[SessionItem]:
    """Return entries that come newest first, with the rounds of one session in one item."""
    ordered = sorted(entries, key=_newest_first)
    items: list[SessionItem] = []
    for _, together in groupby(ordered, key=lambda e: (e.place.fact_seq, e.place.player_id)):
        rounds: list[RoundEntry] = []
        for entry in together:
            if isinstance(entry, CorrectionEntry):
                items.append(shown_correction(entry, player_id, names))
            else:
                rounds.append(entry)
        if rounds:
            items.append(_session(rounds, player_id, names))
    return items


def _newest_first(entry: HistoryEntry) -> tuple[int, str, int]:
    place = entry.place
    return -place.fact_seq, place.player_id, place.round_no


def _session(rounds: Sequence[RoundEntry], player_id: str, names: Names) -> SessionEntry:
    """Return one item for a player's rounds of one session, which come in order."""
    first = rounds[0]
    shown = [shown_round(entry, player_id, names) for entry in rounds]
    return {
        "type": "session",
        "fact_seq": first.place.fact_seq,
        "session_id": first.session_id,
        "source": shown[0]["source"],
        "session_date": first.session_date,
        "game_type": first.game_type,
        "played_as": shown[0]["played_as"],
        "voided": first.is_voided,
        "superseded_by": first.superseded_by,
        "games_played": sum(each["games_played"] for each in shown),
        "mahjongs": sum(each["mahjongs"] for each in shown),
        "wall_games": sum(each["wall_games"] for each in shown),
        "mahjic": shown_pool(_through([entry.mahjic for entry in rounds])),
        "verified": shown_pool(_through([entry.verified for entry in rounds])),
        "rounds": shown,
    }


def _through(pools: Sequence[Pool]) -> Pool:
    """Return what changes did one after another."""
    return Pool(
        rating_before=pools[0].rating_before,
        rating_change=sum(each.rating_change for each in pools),
        games_before=pools[0].games_before,
        games_after=pools[-1].games_after,
    )


def _write_start(player_id: str, fact_seq: int | None) -> str | None:
    return None if fact_seq is None else write_cursor(_KIND, player_id, fact_seq)


def _read_start(cursor: str | None, player_id: str) -> int | None:
    if cursor is None:
        return None
    kind, whose, fact_seq = read_cursor(cursor, str, str, int)
    assert isinstance(fact_seq, int)
    if (kind, whose) != (_KIND, player_id) or not 0 < fact_seq <= END_PLACE.fact_seq:
        raise WrongCursor
    return fact_seq
