"""Works out which sources are told, and what each of them sees.

The source of a session sees those whom it has named in it. Of what others did, a source is told
about the players whom it knows and everyone may see, and about no one else.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from services.notices.noticed import AboutPlayers, AboutSession, MovedPlayer, Noticed
from shared.answers.seen import Sight
from shared.notices.writing import Connection, Notice
from shared.seated import read_sight

READ_SESSIONS: Final = """
SELECT session_id, source, session_date FROM mahjic.recorded_sessions
WHERE session_id = ANY($1::text[])
"""
# By the id as which everyone reads them.
READ_KNOWING: Final = """
SELECT DISTINCT known.source, known.survivor_id
FROM mahjic.read_players AS asked
JOIN mahjic.read_players AS person USING (survivor_id)
JOIN mahjic.known_players AS known ON known.player_id = person.player_id
JOIN mahjic.public_players AS public ON public.player_id = known.survivor_id
WHERE asked.player_id = ANY($1::text[])
ORDER BY known.source, known.survivor_id
"""


@dataclass(frozen=True, slots=True)
class _OfSource:
    """A session of a source, and what that source sees of the people in its sessions."""

    source: str
    day: str
    sight: Sight


async def addressed(connection: Connection, noticed: Sequence[Noticed]) -> list[Notice]:
    """Return what each source is told, in the order of what happened."""
    sessions = await _sessions_in(connection, noticed)
    notices: list[Notice] = []
    for each in noticed:
        if isinstance(each, AboutSession):
            if each.session_id in sessions:
                notices.append(_to_source_of(each, sessions[each.session_id]))
        else:
            apart_from = {sessions[one].source for one in each.apart_from if one in sessions}
            notices += await _to_those_who_know(connection, each, apart_from)
    return notices


async def _sessions_in(connection: Connection, noticed: Iterable[Noticed]) -> dict[str, _OfSource]:
    """Return every session that is told about; each source is asked about once."""
    asked: set[str] = set()
    for each in noticed:
        asked |= {each.session_id} if isinstance(each, AboutSession) else set(each.apart_from)
    rows = await connection.fetch(READ_SESSIONS, list(asked))
    by_source: defaultdict[str, list[asyncpg.Record]] = defaultdict(list)
    for row in rows:
        by_source[row["source"]].append(row)
    sessions = {}
    for source, own in by_source.items():
        ids = [row["session_id"] for row in own]
        sight = await read_sight(connection.fetch, ids, by=source)
        for row in own:
            day = row["session_date"].isoformat()
            sessions[row["session_id"]] = _OfSource(source, day, sight)
    return sessions


def _to_source_of(told: AboutSession, session: _OfSource) -> Notice:
    sight = session.sight
    seen = [each for each in told.moved if sight.sees(each.player_id)]
    data: dict[str, Any] = {
        "session_id": told.session_id,
        "session_date": session.day,
        "seq": told.seq,
    }
    if told.kind == "session.corrected":
        data["replaces"] = told.replaces
    if told.moved:
        data["players"] = [_shown(each, sight.read_as(each.player_id)) for each in seen]
    shown_ids = [
        sight.read_as(each.player_id) for each in seen if not sight.seated[each.player_id].is_named
    ]
    return Notice(session.source, told.kind, told.cause, told.at, data, shown_ids)


async def _to_those_who_know(
    connection: Connection, told: AboutPlayers, apart_from: set[str]
) -> list[Notice]:
    moved = {each.counts_as: each for each in told.moved}
    rows = await connection.fetch(READ_KNOWING, [*moved, *told.player_ids])
    known: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["source"] not in apart_from and (not moved or row["survivor_id"] in moved):
            known[row["source"]].append(row["survivor_id"])
    return [
        Notice(source, told.kind, told.cause, told.at, _data_about(told, moved, ids), ids)
        for source, ids in known.items()
    ]


def _data_about(
    told: AboutPlayers, moved: dict[str, MovedPlayer], player_ids: Sequence[str]
) -> dict[str, Any]:
    shown = [
        _shown(moved[each], each) if each in moved else {"player_id": each} for each in player_ids
    ]
    return {"seq": told.seq, "players": shown}


def _shown(moved: MovedPlayer, player_id: str) -> dict[str, Any]:
    """Return a player of a notice, with ratings as the interface shows them."""
    before, verified_before = moved.rating_before, moved.verified_rating_before
    return {
        "player_id": player_id,
        "rating_before": before / 100,
        "rating_change": moved.rating_change / 100,
        "rating_after": (before + moved.rating_change) / 100,
        "games": moved.games_after,
        "verified_rating_before": verified_before / 100,
        "verified_rating_change": moved.verified_rating_change / 100,
        "verified_rating_after": (verified_before + moved.verified_rating_change) / 100,
        "verified_games": moved.verified_games_after,
    }
