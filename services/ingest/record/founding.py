"""Founds the log: its id, and the first fact, which says which formula is in force."""

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.ingest.record.ids_and_times import IdsAndTimes
from shared.db.locks import FOUNDING_LOCK
from shared.db.sandbox import mark_sandbox
from shared.events.codec import encode_fact
from shared.events.facts import FormulaAdopted
from shared.log.postgres import append_facts, found_logs, lock_head
from shared.rating.registry import MAHJIC_ELO_1

NOTE_FORMULA = "INSERT INTO mahjic.formulas (fact_seq, formula, since) VALUES (1, $1, 'now')"


async def found_log(
    pool: asyncpg.Pool, log_id: str, ids_and_times: IdsAndTimes, *, is_sandbox: bool = False
) -> bool:
    """Found the log of a new database with `log_id`. Return false if it was founded before.

    Whether the database is a sandbox is decided now, and never again.
    """
    async with pool.acquire() as connection:
        return await found_on(connection, log_id, ids_and_times, is_sandbox=is_sandbox)


async def found_on(
    connection: asyncpg.Connection | PoolConnectionProxy,
    log_id: str,
    ids_and_times: IdsAndTimes,
    *,
    is_sandbox: bool,
) -> bool:
    """Found the log on one connection, in its open transaction if there is one."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1)", FOUNDING_LOCK)
        if await connection.fetchval("SELECT EXISTS (SELECT FROM mahjic.head)"):
            return False
        if is_sandbox:
            await mark_sandbox(connection)
        await found_logs(connection, log_id)
        head = await lock_head(connection)
        event = FormulaAdopted(MAHJIC_ELO_1.name, MAHJIC_ELO_1.parameters)
        time = ids_and_times.timestamp()
        await append_facts(connection, head, [encode_fact(event, log_id=log_id, seq=1, time=time)])
        await connection.execute(NOTE_FORMULA, event.formula)
        return True
