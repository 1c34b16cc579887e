"""Reads a session on record as the claim that it came from, as far as the reader may see it.

Where seats were reassigned, it names who sits there now. A source is shown the addresses and
nicknames that it sent itself, and `PRIVATE:` only where it said so. People who were erased are not
shown to anyone.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from services.projections.answering.reading import ViewReader
from shared.addresses import BOB_EMAIL
from shared.answers.seen import Viewer, written
from shared.events.codec import decode_session
from shared.events.facts import PlayedRound, SessionSubmitted
from shared.ids import BOB
from shared.replay.reseating import read_tables, with_seated
from shared.seated import read_seated

READ_FACT: Final = """
SELECT own.source, facts.body, reseated.seats
FROM mahjic.recorded_sessions AS own JOIN mahjic.facts AS facts ON facts.seq = own.fact_seq
LEFT JOIN mahjic.reseated_sessions AS reseated ON reseated.session_id = own.session_id
WHERE own.session_id = $1
"""


async def read_claim(
    reader: ViewReader, session_id: str, *, by: str | None
) -> dict[str, Any] | None:
    """Return the claim of a session as the source `by` may see it, or the operator (None).

    Returns None if there is no such session, or it is another source's. Raises ServiceUnavailable.
    """
    rows = await reader.fetch_plain(READ_FACT, session_id)
    if not rows or by not in {None, rows[0]["source"]}:
        return None
    session = decode_session(rows[0]["body"])
    if session is None:
        return None
    if (seats := rows[0]["seats"]) is not None:
        session = with_seated(session, read_tables(seats))
    viewer: Viewer = "operator" if by is None else "own"
    seated = await read_seated(reader.fetch_plain, [session_id], source=session.source)
    names = {player_id: written(each, viewer) for player_id, each in seated.items()}
    return _claim(session, {**names, BOB: BOB_EMAIL})


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
