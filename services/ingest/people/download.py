"""Everything that is stored about a player, as one JSON document, for the player alone.

It is made while it is sent, piece by piece, so a long history needs no more memory than a short
one, and a slow reader holds no connection. It says nothing about others that they do not show to
everybody: at a table with them are the ids of public players, and only the number of the rest.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final, Protocol

import asyncpg
import orjson

from services.ingest.people.about_oneself import OwnDetails, read_own
from services.ingest.people.disputes import disputes_of
from services.ingest.players.grouped import WholePerson, find_person
from services.ingest.record.ids_and_times import timestamp_of
from services.ingest.record.known.groups import PlayedSession, sessions_named, survivors_of
from shared.answers.shown import points
from shared.events.facts import PlayedRound
from shared.log.postgres import Connection

# A piece of some hundred kilobytes at most, even of the longest sessions.
SESSIONS_AT_ONCE: Final = 50

READ_ADDRESSES: Final = """
SELECT player_id, email AS address, name, region, is_private, privacy_by
FROM mahjic.people WHERE player_id = ANY($1) ORDER BY player_id
"""
READ_SOURCES: Final = """
SELECT player_id, source, name FROM mahjic.acquaintances
WHERE player_id = ANY($1) ORDER BY player_id, source
"""
READ_PRIVATE_WORDS: Final = """
SELECT player_id, source FROM mahjic.private_words
WHERE player_id = ANY($1) ORDER BY player_id, source
"""
READ_MERGES: Final = """
SELECT player_id, merged_into, link_fact_seq AS fact_seq,
    EXISTS (
        SELECT FROM mahjic.own_merges AS own
        WHERE own.fact_seq = link_fact_seq AND NOT own.is_recovered
    ) AS by_yourself
FROM mahjic.players WHERE player_id = ANY($1) AND link_fact_seq IS NOT NULL ORDER BY link_fact_seq
"""
READ_SESSIONS: Final = """
SELECT sent.session_id, sent.fact_seq, sent.status, sent.submitted_at, sent.corrects,
    sent.corrected_by, sent.end_reason
FROM mahjic.submissions AS sent
WHERE sent.session_id IN (
        SELECT session_id FROM mahjic.seats WHERE player_id = ANY($1) AND sits
    )
    AND sent.fact_seq > $2
ORDER BY sent.fact_seq LIMIT $3
"""
READ_PUBLIC: Final = "SELECT player_id FROM mahjic.public_players WHERE player_id = ANY($1)"


class Section(Protocol):
    """What another room has stored about somebody: a list under a name of its own."""

    @property
    def name(self) -> str:
        """The name of the list in the document."""
        ...

    def about(self, person: WholePerson) -> AsyncIterator[Any]:
        """Yield what is stored, as values that JSON can hold. Nothing of others is in it."""
        ...


class PlayerSection(Protocol):
    """What another room has worked out about a player: a list in what is told of the player."""

    @property
    def name(self) -> str:
        """The name of the list in the document."""
        ...

    async def check(self, player_id: str) -> None:
        """Check that it can be read now, before anything is sent."""
        ...

    def about(self, player_id: str) -> AsyncIterator[Any]:
        """Yield what there is about a player, by the id that stands for it."""
        ...


async def everything_about(
    pool: asyncpg.Pool,
    player_ids: Sequence[str],
    *,
    now: datetime,
    addresses: Sequence[str] = (),
    sections: Sequence[Section] = (),
    player_sections: Sequence[PlayerSection] = (),
) -> AsyncIterator[bytes]:
    """Return the document in pieces: about somebody with these players, and these addresses.

    Raises UnknownPlayer, and what a section can't be read for, before the first of them.
    """
    told = []
    async with pool.acquire() as connection:
        for player_id in player_ids:
            ids = (await find_person(connection, player_id)).members
            own = await read_own(connection, player_id)
            told.append((ids, await _beginning(connection, own, ids, now)))
    for _, beginning in told:
        for section in player_sections:
            await section.check(beginning["mahjic_id"])
    all_ids = [each for ids, _ in told for each in ids]
    person = WholePerson(all_ids, addresses)
    players = (_player(pool, beginning, ids, player_sections) for ids, beginning in told)
    return _pieces(now, person, sections, players)


async def _pieces(
    now: datetime,
    person: WholePerson,
    sections: Sequence[Section],
    players: Iterable[AsyncIterator[bytes]],
) -> AsyncIterator[bytes]:
    yield orjson.dumps({"made_at": timestamp_of(now)}).removesuffix(b"}")
    for section in sections:
        async for piece in _list_of(section.name, section.about(person)):
            yield piece
    yield b',"players":['
    for number, player in enumerate(players):
        if number:
            yield b","
        async for piece in player:
            yield piece
    yield b"]}\n"


async def _player(
    pool: asyncpg.Pool,
    beginning: Mapping[str, Any],
    ids: Sequence[str],
    sections: Sequence[PlayerSection],
) -> AsyncIterator[bytes]:
    yield orjson.dumps(beginning).removesuffix(b"}")
    for section in sections:
        async for piece in _list_of(section.name, section.about(beginning["mahjic_id"])):
            yield piece
    async for piece in _list_of("sessions", _sessions(pool, ids)):
        yield piece
    yield b"}"


async def _list_of(name: str, values: AsyncIterator[Any]) -> AsyncIterator[bytes]:
    yield b"," + orjson.dumps(name) + b":["
    is_first = True
    async for value in values:
        yield orjson.dumps(value) if is_first else b",\n" + orjson.dumps(value)
        is_first = False
    yield b"]"


async def _beginning(
    connection: Connection, own: OwnDetails, ids: Sequence[str], now: datetime
) -> dict[str, Any]:
    """Return what is short of its own accord."""
    disputes = await disputes_of(connection, ids, now=now)
    return {
        "mahjic_id": own.player_id,
        "name": own.name,
        "region": own.region,
        "region_of_source": own.region_of_source,
        "privacy": "private" if own.is_private else "normal",
        "privacy_by": own.privacy_by,
        "is_verified": own.is_verified,
        "ids": await _rows(connection, READ_ADDRESSES, ids),
        "offered_names": [asdict(each) for each in own.offered_names],
        "sources": await _rows(connection, READ_SOURCES, ids),
        "said_private_by": await _rows(connection, READ_PRIVATE_WORDS, ids),
        "merges": await _rows(connection, READ_MERGES, ids),
        "disputes": [asdict(each) for each in disputes],
    }


async def _rows(connection: Connection, query: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    return [dict(row) for row in await connection.fetch(query, ids)]


async def _sessions(pool: asyncpg.Pool, ids: Sequence[str]) -> AsyncIterator[dict[str, Any]]:
    """Yield every session that the person sat in, as they were recorded."""
    place = 0
    while True:
        async with pool.acquire() as connection:
            rows = await connection.fetch(READ_SESSIONS, ids, place, SESSIONS_AT_ONCE)
            if not rows:
                return
            place = rows[-1]["fact_seq"]
            played = await sessions_named(connection, [row["session_id"] for row in rows])
            public = await _public(connection, played.values())
        for row in rows:
            if (session := played.get(row["session_id"])) is not None:
                yield _session(row, session, set(ids), public)


async def _public(connection: Connection, sessions: Iterable[PlayedSession]) -> Mapping[str, str]:
    """Return as whom everybody may see those who sat there; nobody else is in it."""
    seated = {
        player
        for session in sessions
        for played in session.seated.rounds
        for player in played.players
    }
    survivors = await survivors_of(connection, seated)
    read_as = {player: survivors.get(player, player) for player in seated}
    rows = await connection.fetch(READ_PUBLIC, sorted(set(read_as.values())))
    shown = {row["player_id"] for row in rows}
    return {player: survivor for player, survivor in read_as.items() if survivor in shown}


def _session(
    row: asyncpg.Record, session: PlayedSession, ids: set[str], public: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "session_id": session.session_id,
        "source": session.source,
        "session_date": session.played.session_date,
        "game_type": session.played.game_type,
        "status": row["status"],
        "submitted_at": timestamp_of(row["submitted_at"]),
        "corrects": row["corrects"],
        "corrected_by": row["corrected_by"],
        "end_reason": row["end_reason"],
        "rounds": [
            _round(number, each, ids, public)
            for number, each in enumerate(session.seated.rounds, start=1)
            if not ids.isdisjoint(each.players)
        ],
    }


def _round(
    number: int, played: PlayedRound, ids: set[str], public: Mapping[str, str]
) -> dict[str, Any]:
    seat = next(place for place, player in enumerate(played.players) if player in ids)
    others = [player for place, player in enumerate(played.players) if place != seat]
    shown = [public[player] for player in others if player in public]
    return {
        "round": number,
        "games_played": played.games_played,
        "wall_games": played.wall_games,
        "mahjongs": played.mahjongs[seat],
        "points": None if played.points_centi is None else points(played.points_centi[seat]),
        "with": shown,
        "with_others": len(others) - len(shown),
    }
