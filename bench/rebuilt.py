"""Measures a rebuild of all views from the verdicts, against COPY of the rows that it ends with."""

import io
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from bench.raters import (
    PLAYERS_OF_FACTS,
    Database,
    a_database,
    a_rater,
    until_answered,
    write_facts,
)
from bench.results import Row, compared
from bench.running import a_folder
from services.projections.building.builds import LIST_TABLES, remove_dead_builds
from services.projections.building.rebuild import build_missing_views
from services.projections.views import all_views
from shared.http.logs import configure_logs
from shared.ids import player_id
from shared.machine.memory import settle_collector

# Every second player is public, and every tenth of all is Verified, all of them public.
PUBLIC_SHARE: Final = 2
VERIFIED_SHARE: Final = 10
TABLE_S_MAX: Final = 600.0


@dataclass(frozen=True, slots=True)
class Size:
    """How often, and from how many sessions of four rounds."""

    repeats: int
    sessions: int


FULL: Final = Size(5, 20_000)
QUICK: Final = Size(2, 2_000)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a view as it is in the end."""

    schema: str
    name: str
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


async def measure(size: Size) -> list[Row]:
    """Rebuild and copy in turns."""
    configure_logs(stream=io.StringIO())  # Nobody reads what the rater in this process says.
    own, limit = [], []
    with a_folder() as folder:
        async with a_database(folder) as database:
            verdicts = await write_verdicts(database, size.sessions)
            settle_collector()  # As a service does once it has started.
            for _ in range(size.repeats):
                await forget_views(database.pool)
                began_s = time.perf_counter()
                await build_missing_views(all_views(), pool=database.pool, log=database.verdicts)
                own.append(verdicts / (time.perf_counter() - began_s))
                tables = await final_tables(database.pool)
                limit.append(verdicts / await copy_rows(database.pool, tables))
    return [
        compared(
            f"rebuild of all views from {verdicts:,} verdicts, verdicts/s",
            own,
            "COPY of the final rows",
            limit,
            ratio_min=0.3,
        )
    ]


async def write_verdicts(database: Database, sessions: int) -> int:
    """Let sessions be rated of players some of whom are Verified, and return how many verdicts."""
    verified = [player_id("MJ", number) for number in range(0, PLAYERS_OF_FACTS, VERIFIED_SHARE)]
    facts = await write_facts(database, sessions, verified)
    await write_people(database.pool)
    async with a_rater(database, None):
        await until_answered(database, facts)
    return (await database.verdicts.tail()).seq


async def write_people(pool: asyncpg.Pool) -> None:
    """Write who the players are: some of them are public."""
    players = [player_id("MJ", number) for number in range(PLAYERS_OF_FACTS)]
    async with pool.acquire() as connection:
        await connection.copy_records_to_table(
            "players",
            schema_name="mahjic",
            columns=("player_id",),
            records=[(each,) for each in players],
        )
        await connection.copy_records_to_table(
            "people",
            schema_name="mahjic",
            columns=("player_id", "email", "is_private", "privacy_by"),
            records=[
                (each, f"{each.lower()}@example.com", number % PUBLIC_SHARE != 0, "source")
                for number, each in enumerate(players)
            ],
        )
        await connection.execute("ANALYZE mahjic.players, mahjic.people")


async def forget_views(pool: asyncpg.Pool) -> None:
    """Leave no view, as before the first start."""
    await pool.execute("UPDATE mahjic.views SET live_schema = NULL")
    for view in all_views():
        await remove_dead_builds(pool, view.name)


async def final_tables(pool: asyncpg.Pool) -> list[Table]:
    """Return all rows of all views."""
    tables = []
    for live in await pool.fetch("SELECT live_schema FROM mahjic.views"):
        schema = live["live_schema"]
        for listed in await pool.fetch(LIST_TABLES, schema):
            name = listed["tablename"]
            rows = await pool.fetch(f'SELECT * FROM {schema}."{name}"', timeout=TABLE_S_MAX)
            if rows:
                tables.append(Table(schema, name, list(rows[0].keys()), [*map(tuple, rows)]))
    return tables


async def copy_rows(pool: asyncpg.Pool, tables: Sequence[Table]) -> float:
    """COPY rows into empty twins of their tables, and return how many seconds it took."""
    into = f"bench_{uuid.uuid4().hex[:8]}"
    async with pool.acquire() as connection:
        await connection.execute(f"CREATE SCHEMA {into}")
        for table in tables:
            await connection.execute(
                f"CREATE TABLE {into}.{table.schema}_{table.name} "
                f'(LIKE {table.schema}."{table.name}" INCLUDING INDEXES)'
            )
        began_s = time.perf_counter()
        for table in tables:
            await connection.copy_records_to_table(
                f"{table.schema}_{table.name}",
                schema_name=into,
                columns=table.columns,
                records=table.rows,
                timeout=TABLE_S_MAX,
            )
        took_s = time.perf_counter() - began_s
        await connection.execute(f"DROP SCHEMA {into} CASCADE")
    return took_s
