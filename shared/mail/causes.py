"""Whose request is answered, while it is: in a sandbox, they are shown the mails that it causes."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

SHOWN_MAX: Final = 50

NOTE: Final = "INSERT INTO mahjic.mail_causes (mail_id, cause) VALUES ($1, $2)"
FIND: Final = """
SELECT mails.mail_id, mails.address, mails.subject, mails.plain AS text, mails.queued_at
FROM mahjic.mails JOIN mahjic.mail_causes AS causes USING (mail_id)
WHERE causes.cause = ANY($1) AND mails.state = 'queued'
ORDER BY mails.number DESC LIMIT $2
"""

_CAUSE: Final[ContextVar[str | None]] = ContextVar("cause of mails", default=None)

Connection = asyncpg.Connection | PoolConnectionProxy


@dataclass(frozen=True, slots=True)
class CausedMail:
    """A mail as it is shown to who caused it."""

    mail_id: str
    address: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)
    queued_at: datetime


def visitor_cause(token_hash: bytes) -> str:
    """Return what stands for a browser, by the hash of the token that it keeps."""
    return f"visitor:{token_hash.hex()}"


def source_cause(source: str) -> str:
    """Return what stands for the keys of a source."""
    return f"source:{source}"


@contextmanager
def caused_by(cause: str | None) -> Iterator[None]:
    """Have what is queued in this context noted as caused by somebody; None is nobody."""
    before = _CAUSE.set(cause)
    try:
        yield
    finally:
        _CAUSE.reset(before)


async def note_cause(connection: Connection, mail_id: str) -> None:
    """Note who caused a mail, in the transaction that queues it, if that is known."""
    cause = _CAUSE.get()
    if cause is not None:
        await connection.execute(NOTE, mail_id, cause)


async def mails_caused_by(connection: Connection, causes: Sequence[str]) -> Sequence[CausedMail]:
    """Return the newest mails that some causes have, while they are good."""
    return [CausedMail(**row) for row in await connection.fetch(FIND, causes, SHOWN_MAX)]
