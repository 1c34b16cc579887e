"""Fills the leaderboard with made-up players, in the tables of the view and in a sorted set."""

import random
from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Final

import asyncpg
import redis.asyncio
from asyncpg.pool import PoolConnectionProxy

from services.projections.building.rebuild import build_missing_views
from services.projections.views import all_views
from shared.ids import player_id
from shared.log.port import Log

Connection = PoolConnectionProxy

SEED = 20260131
MEAN_CENTI, SPREAD_CENTI = 150_000, 20_000
LAST_DAY = date(2026, 1, 31)
PROFILE_COLUMNS: Final = (
    "player_id",
    "rating_centi",
    "games",
    "is_flagged",
    "is_verified",
    "verified_rating_centi",
    "verified_games",
    "sessions",
    "mahjongs",
    "wall_games",
    "last_session_date",
    "fact_seq",
)
REDIS_BATCH = 10_000


async def fill_board(pool: asyncpg.Pool, log: Log, players: int) -> None:
    """Put `players` Verified players on the global board."""
    await build_missing_views(all_views(), pool=pool, log=log)
    async with pool.acquire() as connection:
        await _fill_tables(connection, made_up(players))


async def fill_sorted_set(store: redis.asyncio.Redis, players: int) -> None:
    """Put the same players into a sorted set."""
    rows = made_up(players)
    for start in range(0, players, REDIS_BATCH):
        await store.zadd("board", dict(rows[start : start + REDIS_BATCH]))


def made_up(players: int) -> "list[tuple[str, int]]":
    """Return ids and ratings in centi, the same at every call."""
    chance = random.Random(SEED)
    return [
        (player_id("MJ", number * 7919), round(chance.gauss(MEAN_CENTI, SPREAD_CENTI)))
        for number in range(players)
    ]


def address_of(player: str) -> str:
    """Return the address by which a source names a made-up player."""
    return f"{player.lower()}@example.com"


async def _fill_tables(connection: Connection, rows: "list[tuple[str, int]]") -> None:
    schemas = {
        row["name"]: row["live_schema"]
        for row in await connection.fetch("SELECT name, live_schema FROM mahjic.views")
    }
    board, profiles = schemas["leaderboards"], schemas["profiles"]
    points = Counter(rating // 100 for _, rating in rows)
    for schema, table, columns, records in (
        ("mahjic", "players", ("player_id", "is_verified"), [(p, True) for p, _ in rows]),
        (
            "mahjic",
            "people",
            ("player_id", "email", "is_private", "privacy_by"),
            [(p, address_of(p), False, "source") for p, _ in rows],
        ),
        (
            profiles,
            "profiles",
            PROFILE_COLUMNS,
            [(p, rating, 40, True, True, rating, 40, 10, 10, 2, LAST_DAY, 1) for p, rating in rows],
        ),
        (
            board,
            "standings",
            ("player_id", "board", "rating_centi", "verified_games", "last_session_date"),
            [(p, "global", rating, 40, LAST_DAY) for p, rating in rows],
        ),
        (board, "counts", ("board", "point", "members"), [("global", *c) for c in points.items()]),
        (board, "boards", ("board", "members", "fingerprint"), [("global", len(rows), 0)]),
    ):
        await _copy(connection, schema, table, columns, records)
    for table in (f"{board}.standings", f"{profiles}.profiles", "mahjic.people", "mahjic.players"):
        await connection.execute(f"VACUUM (ANALYZE) {table}", timeout=600)


async def _copy(
    connection: Connection,
    schema: str,
    table: str,
    columns: Sequence[str],
    records: Sequence[tuple[object, ...]],
) -> None:
    await connection.copy_records_to_table(
        table, schema_name=schema, columns=columns, records=records, timeout=600
    )
