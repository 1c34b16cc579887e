"""A database of before corrections and merges is brought up to them from its facts alone."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import asyncpg

from shared.db.migrations import migrate, read_migrations
from shared.events.codec import encode_fact
from shared.events.facts import (
    FactEvent,
    FormulaAdopted,
    PlayedRound,
    PlayerVerified,
    SessionSubmitted,
)
from shared.log.postgres import append_facts, found_logs, lock_head
from tests.conftest import Database
from tests.db.own_server import OWN_SERVERS, an_own_server, needs_an_own_server

BEFORE = read_migrations()[:3]
LOG_ID = "log_of_a_test"
TIME = "2026-02-01T12:00:00.123456Z"
AT = datetime(2026, 2, 1, 12, 0, 0, 123456, tzinfo=UTC)
FIRST = FormulaAdopted("mahjic-elo/1", {"start": 1500})
ADD_SUBMISSION = """
INSERT INTO mahjic.submissions
    (session_id, source, status, fact_seq, content_print, allowed_duplicate)
VALUES ($1, 'a-club', 'accepted', $2, 'print', false)
"""
UNREADABLE: tuple[bytes, ...] = (
    b"",
    b"\xff no fact",
    b"[]",
    b"null",
    b"7",
    b'{"type":"session-submitted.v1"',
    b'{"type":"session-submitted.v1","time":"tomorrow","data":{"rounds":[{"players":["MJ-X"]}]}}',
    b'{"type":"session-submitted.v1","time":"2026-02-01T12:00:00Z","data":7}',
    b'{"type":"session-submitted.v1","data":{"rounds":7}}',
    b'{"type":"formula-adopted.v1","time":"2026-02-01T12:00:00Z","data":{}}',
    b'{"type":"formula-adopted.v1\\u0000"}',
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    b'{"a":"\\ud800"}',
)


def a_session(number: int, *tables: tuple[str, ...]) -> SessionSubmitted:
    rounds = tuple(
        PlayedRound(1, 1, players, (0,) * len(players), points_centi=None) for players in tables
    )
    return SessionSubmitted(f"session-{number}", "a-club", "2026-01-31", "social", rounds, ())


async def write(connection: asyncpg.Connection, *events: FactEvent | bytes) -> None:
    """Put facts on the log, and sessions on record, as the program of before did."""
    async with connection.transaction():
        head = await lock_head(connection)
        numbered = list(enumerate(events, start=head.fact_seq + 1))
        bodies = [
            event
            if isinstance(event, bytes)
            else encode_fact(event, log_id=LOG_ID, seq=s, time=TIME)
            for s, event in numbered
        ]
        await append_facts(connection, head, bodies)
        for seq, event in numbered:
            if isinstance(event, SessionSubmitted):
                await connection.execute(ADD_SUBMISSION, event.session_id, seq)


async def founded_before(connection: asyncpg.Connection) -> None:
    """Found a log in a database of before."""
    await migrate(connection, BEFORE)
    await connection.execute(
        """INSERT INTO mahjic.sources (slug, name, type, created_at)
        VALUES ('a-club', 'A', 'club', $1)""",
        AT,
    )
    async with connection.transaction():
        await found_logs(connection, LOG_ID)


async def rows(connection: asyncpg.Connection, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in await connection.fetch(query)]


async def check_upgrade(connection: asyncpg.Connection) -> None:
    """Bring a database with facts, and with what is none, up to the newest tables."""
    await founded_before(connection)
    await write(connection, FIRST, a_session(1, ("MJ-A", "BOB", "MJ-B"), ("MJ-C", "MJ-A")))
    await write(connection, *UNREADABLE, a_session(2, ("MJ-A", "AN-D")), PlayerVerified("MJ-A"))
    # Of damaged bytes nothing can be told, not even when they are a session's.
    await connection.execute(ADD_SUBMISSION, "session-3", 4)
    started = await connection.fetchval("SELECT clock_timestamp()")
    assert [each.number for each in await migrate(connection)] == list(
        range(4, len(read_migrations()) + 1)
    )
    second = 2 + len(UNREADABLE) + 1
    seats = "SELECT player_id, session_id FROM mahjic.seats ORDER BY session_id, player_id"
    assert await rows(connection, seats) == [
        ("MJ-A", "session-1"),
        ("MJ-B", "session-1"),
        ("MJ-C", "session-1"),
        ("AN-D", "session-2"),
        ("MJ-A", "session-2"),
    ]
    places = (
        "SELECT session_id, place_seq, submitted_at FROM mahjic.submissions ORDER BY session_id"
    )
    first, other, damaged = await rows(connection, places)
    assert (first, other) == (("session-1", 2, AT), ("session-2", second, AT))
    assert damaged[:2] == ("session-3", 4)
    assert damaged[2] >= started
    days = "SELECT session_id, session_date FROM mahjic.{} ORDER BY session_id"
    assert await rows(connection, days.format("submissions")) == [
        ("session-1", date(2026, 1, 31)),
        ("session-2", date(2026, 1, 31)),
        ("session-3", date.min),
    ]
    assert set(await rows(connection, days.format("seats"))) == {
        ("session-1", date(2026, 1, 31)),
        ("session-2", date(2026, 1, 31)),
    }
    ends = "SELECT corrects, corrected_by, ended_fact_seq, end_reason FROM mahjic.submissions"
    assert set(await rows(connection, ends)) == {(None, None, None, None)}
    formulas = "SELECT fact_seq, formula, since FROM mahjic.formulas"
    assert await rows(connection, formulas) == [(1, "mahjic-elo/1", "now")]
    left = "SELECT count(*) FROM pg_proc WHERE proname = 'told_by_fact'"
    assert await connection.fetchval(left) == 0


async def test_an_embedded_database_learns_places_seats_and_formulas_from_its_facts(
    target: Database,
) -> None:
    connection = await asyncpg.connect(target.dsn)
    await check_upgrade(connection)
    await connection.close()


@needs_an_own_server
async def test_so_does_one_on_the_oldest_server_that_we_run_on(place: Path) -> None:
    assert OWN_SERVERS[0].parent.name == "15", "No newer one shows what 15 cannot do."
    with an_own_server(place, OWN_SERVERS[0]) as url:
        connection = await asyncpg.connect(url)
        await check_upgrade(connection)
        await connection.close()


async def test_a_database_without_facts_is_brought_up_too(target: Database) -> None:
    connection = await asyncpg.connect(target.dsn)
    await founded_before(connection)
    await migrate(connection)
    assert await rows(connection, "SELECT fact_seq FROM mahjic.formulas") == []
    await connection.close()


async def test_whoever_has_a_hidden_member_is_hidden_and_whoever_is_merged_is_not_shown(
    database: Database,
) -> None:
    async def add(player_id: str, *, is_private: bool | None, into: str | None = None) -> None:
        await database.pool.execute(
            "INSERT INTO mahjic.players (player_id, merged_into) VALUES ($1, $2)", player_id, into
        )
        if is_private is not None:
            await database.pool.execute(
                """INSERT INTO mahjic.people (player_id, email, is_private, privacy_by)
                VALUES ($1, $1 || '@x', $2, 'source')""",
                player_id,
                is_private,
            )

    # Alone; with a member; with a hidden one at the end of a chain; with one who is forgotten.
    for survivor, end in (("MJ-1", None), ("MJ-2", False), ("MJ-3", True), ("MJ-4", None)):
        await add(survivor, is_private=False)
        if survivor != "MJ-1":
            await add(f"{survivor}-a", is_private=False, into=survivor)
            await add(f"{survivor}-b", is_private=end, into=f"{survivor}-a")
    await add("MJ-5", is_private=True)
    await add("MJ-6", is_private=None)
    shown = await database.pool.fetch("SELECT player_id FROM mahjic.public_players")
    assert {row["player_id"] for row in shown} == {"MJ-1", "MJ-2"}
