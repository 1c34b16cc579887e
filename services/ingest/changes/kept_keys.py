"""Recognizes a change to the past that is sent again with its Idempotency-Key.

Call it only under the lock on the head. `transaction.py` keeps the keys of submissions.
"""

from datetime import datetime
from typing import Final

from services.ingest.record.judging.judgment import IdempotencyKeyReused
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
    """Return the fact that the same request with this key led to, if it came before.

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
    """Store the key of a request about a session, if it has one, with the fact it led to."""
    if key_print is not None:
        await connection.execute(KEEP_KEY, key_print, request_print, session_id, fact_seq, now)
