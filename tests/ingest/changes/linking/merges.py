"""Merges and unmerges as the operator would, and tells what is on record by definition."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

import asyncpg

from services.ingest.changes.linking import Linked, merge_players, unmerge_players
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.judging.judgment import Judgment
from services.ingest.record.waterline import Waterline
from shared.events.codec import decode_fact
from shared.events.facts import (
    FactEvent,
    PlayersMerged,
    PlayersUnmerged,
    SessionCorrected,
    SessionSubmitted,
)
from shared.ids import BOB
from tests.ingest.claims import Claim, a_round, a_session
from tests.ingest.office import (
    SOURCES,
    a_submission,
    ids_and_times_of,
    outcome_of,
    record,
)

IDS_AND_TIMES = ids_and_times_of(random.Random(3))
NAMES = ("ada", "bo", "cy", "dee", "eve")
# Whom each id is read as: parents, without those that are merged into nobody.
Links: TypeAlias = dict[str, str]


async def merge(
    pool: asyncpg.Pool,
    player_id: str,
    into: str,
    ids_and_times: IdsAndTimes,
    *,
    note: str | None = None,
) -> Linked:
    """Merge a player into another in a transaction."""
    async with pool.acquire() as connection, Waterline().writing(connection) as writing:
        return await merge_players(connection, writing, player_id, into, ids_and_times, note=note)


async def unmerge(
    pool: asyncpg.Pool, player_id: str, ids_and_times: IdsAndTimes, *, note: str | None = None
) -> Linked:
    """Undo the merge of a player in a transaction."""
    async with pool.acquire() as connection, Waterline().writing(connection) as writing:
        return await unmerge_players(connection, writing, player_id, ids_and_times, note=note)


async def submit(
    pool: asyncpg.Pool, number: int, claim: Claim, ids_and_times: IdsAndTimes, **more: Any
) -> Judgment:
    """Record one submission, and return what was decided."""
    (judgment,) = await record(pool, [a_submission(number, claim, **more)], ids_and_times)
    return judgment


async def outcome(
    pool: asyncpg.Pool,
    number: int,
    claim: Claim,
    ids_and_times: IdsAndTimes,
    *,
    source: str = SOURCES[0],
) -> str:
    """Record one submission, and return in words what was decided."""
    return outcome_of(await submit(pool, number, claim, ids_and_times, source=source))


async def id_of(pool: asyncpg.Pool, who: str) -> str:
    """Return the id of an address."""
    found_id = await pool.fetchval("SELECT player_id FROM mahjic.people WHERE email = $1", who)
    assert isinstance(found_id, str)
    return found_id


async def events_on(pool: asyncpg.Pool) -> list[FactEvent]:
    """Return what every fact tells, in the order of the log."""
    rows = await pool.fetch("SELECT body FROM mahjic.facts ORDER BY seq")
    return [decode_fact(row["body"]).event for row in rows]


async def all_on_record(pool: asyncpg.Pool) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table, for what must not change at all."""
    tables = await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'mahjic'")
    return {
        row["tablename"]: sorted(
            map(tuple, await pool.fetch(f'SELECT * FROM mahjic."{row["tablename"]}"')), key=repr
        )
        for row in tables
    }


def survivor(player_id: str, links: Mapping[str, str]) -> str:
    """Return whom an id is read as."""
    while player_id in links:
        player_id = links[player_id]
    return player_id


def links_after(events: Iterable[FactEvent]) -> Links:
    """Return the links that hold after these facts."""
    links: Links = {}
    for event in events:
        match event:
            case PlayersMerged(player_id, into):
                links[player_id] = into
            case PlayersUnmerged(player_id, _):
                del links[player_id]
    return links


def sessions_in(events: Iterable[FactEvent]) -> list[SessionSubmitted]:
    """Return the sessions that were submitted, also as corrections."""
    return [
        event.session if isinstance(event, SessionCorrected) else event
        for event in events
        if isinstance(event, SessionSubmitted | SessionCorrected)
    ]


async def check_prints(pool: asyncpg.Pool) -> None:
    """Two sessions have one print exactly when they are the same, as everybody is read now."""
    events = await events_on(pool)
    links = links_after(events)
    contents: dict[bytes, set[Any]] = defaultdict(set)
    rounds: dict[tuple[bytes, bytes | None], set[Any]] = defaultdict(set)
    for session in sessions_in(events):
        rows = await pool.fetch(
            "SELECT * FROM mahjic.round_prints WHERE session_id = $1 ORDER BY round_no",
            session.session_id,
        )
        told = [_round(session, number, links) for number in range(len(session.rounds))]
        for row, each in zip(rows, told, strict=True):
            rounds[row["base_print"], row["points_print"]].add((session.session_date, each))
        content = await pool.fetchval(
            "SELECT content_print FROM mahjic.submissions WHERE session_id = $1",
            session.session_id,
        )
        refs = tuple(row["ref_print"] for row in rows)
        contents[content].add(
            (session.source, session.session_date, session.game_type, tuple(told), refs)
        )
    for by_print in (contents, rounds):
        assert all(len(same) == 1 for same in by_print.values())
        assert len(set().union(*by_print.values())) == len(by_print)


def _round(session: SessionSubmitted, number: int, links: Links) -> tuple[Any, ...]:
    played = session.rounds[number]
    points = played.points_centi or [None] * len(played.players)
    seats = zip(played.players, played.mahjongs, points, strict=True)
    return (
        played.games_played,
        frozenset((survivor(who, links), won, centi) for who, won, centi in seats),
    )


async def check_seats(pool: asyncpg.Pool) -> None:
    """Every seat of every session is kept, by the id that its fact names."""
    expected = {
        (player_id, date.fromisoformat(session.session_date), session.session_id)
        for session in sessions_in(await events_on(pool))
        for played in session.rounds
        for player_id in played.players
        if player_id != BOB
    }
    rows = await pool.fetch("SELECT player_id, session_date, session_id FROM mahjic.seats")
    assert sorted(map(tuple, rows)) == sorted(expected)


async def check_links(pool: asyncpg.Pool) -> None:
    """The links on record are those that the facts tell, and the ends of chains are found."""
    links = links_after(await events_on(pool))
    rows = await pool.fetch(
        "SELECT player_id, merged_into, mahjic.survivor(player_id) AS survivor FROM mahjic.players"
    )
    assert {r["player_id"]: r["merged_into"] for r in rows if r["merged_into"]} == links
    for row in rows:
        assert row["survivor"] == survivor(row["player_id"], links)
        members = await pool.fetch("SELECT * FROM mahjic.members($1)", row["player_id"])
        assert sorted(each[0] for each in members) == _members(row["player_id"], links, rows)


def _members(player_id: str, links: Links, rows: Sequence[asyncpg.Record]) -> list[str]:
    def leads_there(each: str) -> bool:
        while each != player_id and each in links:
            each = links[each]
        return each == player_id

    return sorted(row["player_id"] for row in rows if leads_there(row["player_id"]))


async def void(pool: asyncpg.Pool, number: int, status: str = "voided") -> None:
    """Void the session of a submission, as far as duplicates go."""
    await pool.execute(
        "UPDATE mahjic.submissions SET status = $1 WHERE session_id = $2", status, session(number)
    )


def session(number: int) -> str:
    """Return the id of the session of a submission."""
    return a_submission(number, a_session(a_round(ada=1, bo=0))).session_id
