"""Reads a session on record as the claim that it came from, as far as its reader may see it.

A source is shown the addresses and nicknames that it sent itself, and `PRIVATE:` only where it said
so. Nobody is shown who is erased.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import asyncpg

from services.projections.reading import ViewReader
from shared.events.codec import decode_session
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import BOB

# What stands in the place of an address. Neither reads as a player, so a sheet with one of them
# cannot be submitted by accident.
ERASED: Final = "(erased)"
NOT_SHOWN: Final = "(not shown)"
BOB_EMAIL: Final = "bob@mahjic.org"

READ_FACT: Final = """
SELECT own.source, own.is_by_operator, facts.body
FROM mahjic.submissions AS own JOIN mahjic.facts AS facts ON facts.seq = own.fact_seq
WHERE own.session_id = $1
"""
# Of a session that the operator put together, a source is shown whom it has named elsewhere.
READ_PEOPLE: Final = """
SELECT seated.player_id, people.email, people.nickname, people.nickname_source,
    EXISTS (
        SELECT FROM mahjic.private_words AS word
        WHERE word.player_id = seated.player_id AND word.source = $2
    ) AS is_said_private,
    NOT $3 OR EXISTS (
        SELECT FROM mahjic.seats AS seats
        JOIN mahjic.submissions AS sent ON sent.session_id = seats.session_id
        WHERE seats.player_id = seated.player_id AND sent.source = $2 AND NOT sent.is_by_operator
    ) AS is_named
FROM unnest($1::text[]) AS seated (player_id)
JOIN mahjic.people AS people ON people.player_id = seated.player_id
"""


async def read_claim(
    reader: ViewReader, session_id: str, *, by: str | None
) -> dict[str, Any] | None:
    """Return the claim of a session as the source `by` may see it, or the operator (None).

    It is None where there is no such session, or one of another source. Raises ServiceUnavailable.
    """
    rows = await reader.fetch_plain(READ_FACT, session_id)
    if not rows or by not in {None, rows[0]["source"]}:
        return None
    session = decode_session(rows[0]["body"])
    if session is None:
        return None
    seated = {player for played in session.rounds for player in played.players} - {BOB}
    is_limited = by is not None and rows[0]["is_by_operator"]
    people = await reader.fetch_plain(READ_PEOPLE, sorted(seated), session.source, is_limited)
    texts = {row["player_id"]: _text(row, by) for row in people}
    return _claim(session, {**dict.fromkeys(seated, ERASED), **texts, BOB: BOB_EMAIL})


def _text(row: asyncpg.Record, by: str | None) -> str:
    """Return what a sheet calls somebody; a nickname is shown to its own source only."""
    if not row["is_named"] or (row["nickname"] is not None and row["nickname_source"] != by):
        return NOT_SHOWN
    if row["nickname"] is not None:
        return f"ANON:{row['nickname']}"
    return f"PRIVATE:{row['email']}" if row["is_said_private"] else str(row["email"])


def _claim(session: SessionSubmitted, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "session_date": session.session_date,
        "game_type": session.game_type,
        "rounds": [
            {"players": _seats(played, names), "wall_games": played.wall_games}
            for played in session.rounds
        ],
    }


def _seats(played: PlayedRound, names: Mapping[str, str]) -> list[dict[str, Any]]:
    seats: list[dict[str, Any]] = [
        {"email": names[player], "games_played": played.games_played, "mahjongs": mahjongs}
        for player, mahjongs in zip(played.players, played.mahjongs, strict=True)
    ]
    if played.points_centi is not None:
        for seat, centi in zip(seats, played.points_centi, strict=True):
            seat["points"] = _points(centi)
    return seats


def _points(centi: int) -> int | float:
    return centi // 100 if centi % 100 == 0 else float(Decimal(centi) / 100)
