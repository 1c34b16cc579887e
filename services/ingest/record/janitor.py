"""Deletes what was kept long enough: Idempotency-Keys, and addresses of rosters never played."""

import asyncio
from datetime import timedelta
from typing import Final, NoReturn

import asyncpg
import structlog

from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.roster.keeping import tidy_rosters
from shared.db.away import DATABASE_AWAY

# Old keys do no harm. Looking every hour keeps each sweep small.
SWEEP_S: Final = 3600.0
# A sweep holds no lock that a submission waits for, but it still works in portions.
SWEEP_KEYS_MAX: Final = 10_000
DELETE_OLD_KEYS: Final = """
DELETE FROM mahjic.idempotency_keys WHERE key_print IN (
    SELECT key_print FROM mahjic.idempotency_keys WHERE created_at < $1 LIMIT $2
)
"""
VACUUM_KEYS: Final = "VACUUM mahjic.idempotency_keys"

_log = structlog.get_logger(__name__)


async def sweep_forever(
    pool: asyncpg.Pool, ids_and_times: IdsAndTimes, *, kept_days: int
) -> NoReturn:
    """Delete old keys, and tidy the rosters, now and every hour."""
    while True:
        try:
            swept = await sweep(pool, ids_and_times, kept_days=kept_days)
            _log.info("idempotency_keys_swept", keys=swept)
            async with pool.acquire() as connection, connection.transaction():
                await tidy_rosters(connection, now=ids_and_times.now())
        except DATABASE_AWAY as error:
            _log.warning("database_away", error=type(error).__name__)
        await asyncio.sleep(SWEEP_S)


async def sweep(pool: asyncpg.Pool, ids_and_times: IdsAndTimes, *, kept_days: int) -> int:
    """Delete all keys older than `kept_days` days, and return how many there were."""
    before = ids_and_times.now() - timedelta(days=kept_days)
    swept = 0
    while True:
        status = await pool.execute(DELETE_OLD_KEYS, before, SWEEP_KEYS_MAX)
        count = int(status.rpartition(" ")[2])
        swept += count
        if count < SWEEP_KEYS_MAX:
            if swept:
                # Prints do not reveal a key or its content, so it is enough that their pages are
                # free again.
                await pool.execute(VACUUM_KEYS)
            return swept
