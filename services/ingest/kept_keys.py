"""Recognises a change of the past that comes again under its Idempotency-Key.

Call it under the lock on the head only. Keys of submissions are kept by `transaction.py`.
"""

from datetime import datetime
from typing import Final

from services.ingest.judge import IdempotencyKeyReused
from services.ingest.look_up import READ_KEYS, Connection

KEEP_KEY: Final = """
INSERT INTO mahjic.idempotency_keys (key_print, request_print, session_id, created_at)
VALUES ($1, $2, $3, $4) ON CONFLICT (key_print) DO NOTHING
"""


async def is_kept(connection: Connection, key_print: bytes | None, request_print: bytes) -> bool:
    """Tell whether the same request came under this key. Raises IdempotencyKeyReused."""
    rows = [] if key_print is None else await connection.fetch(READ_KEYS, [key_print])
    if any(row["request_print"] != request_print for row in rows):
        raise IdempotencyKeyReused(
            "This Idempotency-Key came before with other content; nothing was changed. "
            "Use a new key for a new request."
        )
    return bool(rows)


async def keep_key(
    connection: Connection,
    key_print: bytes | None,
    request_print: bytes,
    session_id: str,
    now: datetime,
) -> None:
    """Keep the key of a request about a session, if it has one."""
    if key_print is not None:
        await connection.execute(KEEP_KEY, key_print, request_print, session_id, now)
