"""Recognises a change of the past that comes again under its Idempotency-Key.

Call it under the lock on the head only. Keys of submissions are kept by `transaction.py`.
"""

from datetime import datetime
from typing import Final

from services.ingest.record.judging.judgement import IdempotencyKeyReused
from shared.log.postgres import Connection

READ_KEY: Final = """
SELECT request_print, fact_seq FROM mahjic.idempotency_keys WHERE key_print = $1
"""
KEEP_KEY: Final = """
INSERT INTO mahjic.idempotency_keys (key_print, request_print, session_id, fact_seq, created_at)
VALUES ($1, $2, $3, $4, $5) ON CONFLICT (key_print) DO NOTHING
"""


async def kept_fact(
    connection: Connection, key_print: bytes | None, request_print: bytes
) -> int | None:
    """Return the fact that the same request led to under this key, if it came before.

    Raises IdempotencyKeyReused.
    """
    row = None if key_print is None else await connection.fetchrow(READ_KEY, key_print)
    if row is None:
        return None
    if row["request_print"] != request_print:
        raise IdempotencyKeyReused(
            "This Idempotency-Key was used before with different content; nothing was "
            "changed. Use a new key for a new request."
        )
    fact_seq: int = row["fact_seq"]
    return fact_seq


async def keep_key(
    connection: Connection,
    key_print: bytes | None,
    request_print: bytes,
    *,
    session_id: str,
    fact_seq: int,
    now: datetime,
) -> None:
    """Keep the key of a request about a session, if it has one, with the fact that it led to."""
    if key_print is not None:
        await connection.execute(KEEP_KEY, key_print, request_print, session_id, fact_seq, now)
