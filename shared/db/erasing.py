"""Removes what was erased from the files of its table, indexes and long values.

PostgreSQL leaves the bytes of a deleted row in its page, even after a plain VACUUM, which moves the
other rows and clears nothing. So the table is rewritten. That needs an exclusive lock for as long
as it takes. We do not wait long for the lock, and try again later; we also try again later while an
older transaction could still read what was deleted. docs/privacy.md says what other copies there
are.
"""

import asyncio
from typing import Final, NoReturn

import asyncpg
import structlog
from asyncpg.pool import PoolConnectionProxy

from shared.db.away import DATABASE_AWAY
from shared.db.locks import CLEANING_LOCK
from shared.db.turns import own_connection

# Everyone behind us in the lock queue waits too, so we do not wait for the table for long.
LOCK_WAIT: Final = "1s"
# A table of a million people takes some seconds.
REWRITE_S_MAX: Final = 600.0

NOTE_ERASED: Final = """
INSERT INTO mahjic.erasures AS earlier (table_name)
SELECT erased FROM unnest($1::text[]) AS erased
ON CONFLICT (table_name) DO UPDATE SET xid = excluded.xid, erased_at = excluded.erased_at
"""
TAKE_TURN: Final = "SELECT pg_try_advisory_lock($1)"
# A transaction that began before the erasure ended still sees the row, and so does a prepared one,
# or a reader on a standby with feedback. One from another cluster (a restore) does not matter.
READ_ERASED: Final = """
SELECT erased.table_name, erased.xid::text AS xid, (
    erased.xid < pg_snapshot_xmax(pg_current_snapshot())
    AND (
        erased.xid >= pg_snapshot_xmin(pg_current_snapshot())
        OR EXISTS (
            SELECT FROM (
                SELECT backend_xmin FROM pg_stat_activity WHERE pid <> pg_backend_pid()
                UNION ALL SELECT backend_xmin FROM pg_stat_replication
                UNION ALL SELECT xmin FROM pg_replication_slots
                UNION ALL SELECT transaction FROM pg_prepared_xacts
            ) AS held (since)
            WHERE held.since IS NOT NULL AND age(held.since) >= age(erased.xid::xid)
        )
    )
) AS is_held
FROM mahjic.erasures AS erased ORDER BY erased.table_name
"""
# Ids reveal nothing, so tables that hold only ids do not need an exclusive lock.
CLEAN: Final = {
    "people": "VACUUM (FULL) mahjic.people",
    "acquaintances": "VACUUM (FULL) mahjic.acquaintances",
    "notes": "VACUUM (FULL) mahjic.notes",
    "disputes": "VACUUM (FULL) mahjic.disputes",
    "private_words": "VACUUM mahjic.private_words",
    "applications": "VACUUM (FULL) mahjic.applications",
    "application_questions": "VACUUM (FULL) mahjic.application_questions",
    "application_advice": "VACUUM (FULL) mahjic.application_advice",
    "roster": "VACUUM (FULL) mahjic.roster",
    "source_members": "VACUUM (FULL) mahjic.source_members",
    "member_invitations": "VACUUM (FULL) mahjic.member_invitations",
    "night_drafts": "VACUUM (FULL) mahjic.night_drafts",
    "desk_acts": "VACUUM (FULL) mahjic.desk_acts",
    "addresses": "VACUUM (FULL) mahjic.addresses",
    "address_proofs": "VACUUM (FULL) mahjic.address_proofs",
    "passkeys": "VACUUM (FULL) mahjic.passkeys",
    "verification_decisions": "VACUUM (FULL) mahjic.verification_decisions",
    "verification_notes": "VACUUM (FULL) mahjic.verification_notes",
    "mails": "VACUUM (FULL) mahjic.mails",
    "unreachable_addresses": "VACUUM (FULL) mahjic.unreachable_addresses",
    "awaited_invitations": "VACUUM mahjic.awaited_invitations",
    "invitations": "VACUUM mahjic.invitations",
    "summaries": "VACUUM mahjic.summaries",
}
# Something may have been erased in the meantime.
DONE: Final = "DELETE FROM mahjic.erasures WHERE table_name = $1 AND xid = $2::text::xid8"

Connection = asyncpg.Connection | PoolConnectionProxy

_log = structlog.get_logger(__name__)


async def note_erased(connection: Connection, *tables: str) -> None:
    """Note that rows of these tables are erased by this transaction."""
    assert set(tables) <= CLEAN.keys(), "Say in CLEAN how the table is cleaned."
    await connection.execute(NOTE_ERASED, tables)


async def clean_forever(pool: asyncpg.Pool, *, every_s: float) -> NoReturn:
    """Rewrite the tables from which something was erased, now and at regular intervals."""
    while True:
        try:
            cleaned, left = await clean_erased(pool)
            if cleaned or left:
                _log.info("erased_cleaned", tables=cleaned, tried_again_later=left)
        except DATABASE_AWAY as error:
            _log.warning("database_away", error=type(error).__name__)
        await asyncio.sleep(every_s)


async def clean_erased(pool: asyncpg.Pool) -> tuple[list[str], list[str]]:
    """Rewrite every table from which something was erased, as far as possible now.

    Returns the tables that were rewritten, and those to try again. One process at a time does it.
    """
    cleaned: list[str] = []
    left: list[str] = []
    async with own_connection(pool) as connection:
        if not await connection.fetchval(TAKE_TURN, CLEANING_LOCK):
            return cleaned, left
        await connection.execute(f"SET lock_timeout = '{LOCK_WAIT}'")
        for row in await connection.fetch(READ_ERASED):
            is_done = not row["is_held"] and await _clean(connection, row["table_name"])
            (cleaned if is_done else left).append(row["table_name"])
            if is_done:
                await connection.execute(DONE, row["table_name"], row["xid"])
    return cleaned, left


async def _clean(connection: Connection, table: str) -> bool:
    """Rewrite a table, unless another process has it. Return whether it was rewritten."""
    try:
        await connection.execute(CLEAN[table], timeout=REWRITE_S_MAX)
    except asyncpg.LockNotAvailableError:
        return False
    return True
