"""Answers what happened lately: a few sessions, who played in them, and which sources are new."""

from typing import Final

import asyncpg

from services.projections.answering.reading import ViewReader
from services.projections.lately.answers import (
    Lately,
    LatelyPlayer,
    LatelySession,
    LatelySource,
)
from services.projections.lately.queries import (
    PLAYERS_MAX,
    SESSIONS_MAX,
    SOURCES_MAX,
    read_newest_sessions,
    read_on_board,
)
from services.projections.sources.queries import READ_SOURCES_SINCE, read_sources
from shared.answers import points
from shared.rating.bands import band_of

# A session of one public player would say that others sat there whom nobody may know of.
_PUBLIC_PLAYERS_MIN: Final = 2


async def answer_lately(reader: ViewReader) -> Lately:
    """Return what happened lately. Nothing in it would be different without hidden players."""
    rows = await read_newest_sessions(reader)
    newest = [row for row in rows if len(row["players"] or ()) >= _PUBLIC_PLAYERS_MIN]
    seen = dict.fromkeys(player_id for row in newest for player_id in row["players"])
    on_board = await read_on_board(reader, list(seen))
    sources = await read_sources(reader, READ_SOURCES_SINCE)
    begun = [row for row in sources.sources if row["first_session"] is not None]
    begun.sort(key=lambda row: row["first_session"], reverse=True)
    return {
        "seq": rows[0]["seq"],
        "sessions": _sessions(newest),
        "players": [_player(row) for row in on_board[:PLAYERS_MAX]],
        "sources": [_source(row) for row in begun[:SOURCES_MAX]],
    }


def _sessions(newest: list[asyncpg.Record]) -> list[LatelySession]:
    """Return the newest session of each source and date."""
    sessions: dict[tuple[str, str], LatelySession] = {}
    for row in newest:
        sessions.setdefault(
            (row["source"], str(row["session_date"])),
            {
                "source": {"slug": row["source"], "name": row["source_name"] or row["source"]},
                "session_date": row["session_date"],
                "rounds": row["rounds"],
                "games": row["games"],
            },
        )
    return list(sessions.values())[:SESSIONS_MAX]


def _player(row: asyncpg.Record) -> LatelyPlayer:
    return {
        "player_id": row["player_id"],
        "name": row["name"],
        "verified_rating": points(row["rating_centi"]),
        "band": band_of(row["rating_centi"]).name,
    }


def _source(row: asyncpg.Record) -> LatelySource:
    return {
        "source": {"slug": row["slug"], "name": row["name"]},
        "first_session": row["first_session"],
    }
