"""Raters to measure: their database, the facts in it, and the wait for their answers."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncpg

from bench.made_history import session_name
from bench.planted import (
    ADOPTED,
    LOG_ID,
    TIME,
    engine,
)
from services.rater.worker import Progress, run_rater
from shared.db.bell import Bell, listening
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.events.codec import decode_fact, encode_fact
from shared.events.facts import (
    FactEvent,
    PlayedRound,
    PlayerVerified,
    SessionSubmitted,
)
from shared.ids import player_id
from shared.log.port import Log, Position
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
    found_logs,
)

ROUNDS_PER_SESSION: Final = 4
GAMES: Final = 8
POINTS_CENTI_MAX: Final = 8_000
PLAYERS_OF_FACTS: Final = 20_000
BATCH_FACTS: Final = 1_024
SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Database:
    """A migrated database, and the logs in it."""

    dsn: str
    pool: asyncpg.Pool
    facts: PostgresFactLog
    verdicts: PostgresVerdictLog


@asynccontextmanager
async def a_database(folder: Path) -> AsyncIterator[Database]:
    """Give the database of a folder."""
    async with embedded_server(folder, role="join") as server, a_pool(server.dsn) as database:
        await migrate(database.pool)
        yield database


@asynccontextmanager
async def a_pool(dsn: str) -> AsyncIterator[Database]:
    """Give a database that is there."""
    bell = Bell()
    async with (
        await open_pool(dsn, application_name="bench", size_max=8) as pool,
        listening(pool, bell, (FACTS_CHANNEL, VERDICTS_CHANNEL)),
    ):
        yield Database(dsn, pool, PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell))


@asynccontextmanager
async def a_rater(
    database: Database, folder: Path | None, digest: str | None = None
) -> AsyncIterator[None]:
    """Run a rater while the context is open; it has caught up when the context is entered."""
    caught_up = asyncio.Event()

    def tell(_: Progress) -> None:
        caught_up.set()

    rater = asyncio.create_task(
        run_rater(
            database.facts,
            database.verdicts,
            holder="bench",
            engine=digest or engine(),
            folder=folder,
            tell=tell,
        )
    )
    waiting = asyncio.create_task(caught_up.wait())
    try:
        await asyncio.wait([rater, waiting], return_when=asyncio.FIRST_COMPLETED)
        assert not rater.done(), rater.exception()
        yield
    finally:
        waiting.cancel()
        rater.cancel()
        await asyncio.wait([rater])


async def write_facts(database: Database, sessions: int, verified: Sequence[str] = ()) -> int:
    """Found the logs, and append verifications and sessions of four rounds; return how many."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    chance = random.Random(SEED)
    players = [player_id("MJ", number) for number in range(PLAYERS_OF_FACTS)]
    events: list[FactEvent] = [ADOPTED, *map(PlayerVerified, verified)]
    events += (a_session(chance, number, players) for number in range(sessions))
    for begin in range(0, len(events), BATCH_FACTS):
        bodies = [
            encode_fact(event, log_id=LOG_ID, seq=seq, time=TIME)
            for seq, event in enumerate(events[begin : begin + BATCH_FACTS], start=begin + 1)
        ]
        await database.facts.append(bodies)
    return len(events)


def a_session(chance: random.Random, number: int, players: list[str]) -> SessionSubmitted:
    """Return a lawful league session of four rounds at one table."""
    table = tuple(chance.sample(players, 4))
    return SessionSubmitted(
        session_id=session_name(number),
        source="a-league",
        session_date="2026-01-31",
        game_type="league",
        rounds=tuple(a_round(chance, table) for _ in range(ROUNDS_PER_SESSION)),
        new_players=(),
    )


def a_round(chance: random.Random, table: tuple[str, ...]) -> PlayedRound:
    """Return a round of eight games."""
    won = [chance.randrange(3) for _ in table]
    points = [chance.randrange(-POINTS_CENTI_MAX, POINTS_CENTI_MAX) for _ in table]
    return PlayedRound(GAMES, GAMES - sum(won), table, tuple(won), tuple(points))


async def read_and_decode(facts: Log) -> None:
    """Read the whole log, and decode every fact."""
    position = await facts.beginning()
    while records := await facts.read(position, BATCH_FACTS):
        for record in records:
            decode_fact(record.body)
        position = Position(position.log_id, records[-1].seq, records[-1].chain)


async def until_answered(database: Database, fact_seq: int) -> None:
    """Wait until all parts of the answer to a fact are there: they come in one step."""
    while await database.pool.fetchval("SELECT fact_seq FROM mahjic.rater") < fact_seq:
        await database.verdicts.wait_beyond((await database.verdicts.tail()).seq, 1.0)
