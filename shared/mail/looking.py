"""What the operator and the figures see of the outbox: no body unless one asks for one mail."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.errors import MahjicError

LISTED_MAX: Final = 200

LIST: Final = """
SELECT mail_id, kind, address, state, queued_at, due_at, settled_at, tries, smtp_code
FROM mahjic.mails WHERE $1 OR state = 'queued'
ORDER BY number DESC LIMIT $2
"""
# What does not get through: it was tried in vain and waits, or was refused or given up.
LIST_FAILING: Final = """
SELECT mail_id, kind, address, state, queued_at, due_at, settled_at, tries, smtp_code
FROM mahjic.mails
WHERE state IN ('refused', 'given_up')
    OR state = 'queued' AND (tries > 1 OR tries = 1 AND lease IS NULL)
ORDER BY number DESC LIMIT $1
"""
RETRY: Final = """
UPDATE mahjic.mails SET due_at = LEAST(due_at, $2) WHERE mail_id = $1 AND state = 'queued'
RETURNING pg_notify('mahjic_mail', '0')
"""
DROP: Final = """
UPDATE mahjic.mails
SET state = 'given_up', settled_at = $2, lease = NULL, leased_until = NULL,
    subject = NULL, plain = NULL, html = NULL, no_more_url = NULL
WHERE mail_id = $1 AND state = 'queued'
RETURNING mail_id
"""
READ: Final = """
SELECT mail_id, message_id, queued_at, address, subject, plain AS text, html, no_more_url, state
FROM mahjic.mails WHERE mail_id = $1
"""
STANDING: Final = """
SELECT count(*) AS queued, min(due_at) FILTER (WHERE due_at <= $1) AS oldest_due_at
FROM mahjic.mails WHERE state = 'queued'
"""


Database = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy


class UnknownMail(MahjicError):
    """There is no mail with that id, or it was sent and what it said is forgotten."""

    code = "unknown_mail"
    title = "The mail is unknown"
    status = 404


@dataclass(frozen=True, slots=True)
class ListedMail:
    """What the list of mails shows of one; its address only masked."""

    mail_id: str
    kind: str
    to: str
    state: str
    queued_at: datetime
    due_at: datetime
    settled_at: datetime | None
    tries: int
    smtp_code: int | None


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A mail that waits, with what it says."""

    mail_id: str
    message_id: str | None
    queued_at: datetime
    address: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str = field(repr=False)
    no_more_url: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class OutboxStanding:
    """How many mails wait, and since when the one that should have gone first is due."""

    queued: int
    oldest_due_at: datetime | None


async def list_mails(pool: asyncpg.Pool, *, is_all: bool) -> Sequence[ListedMail]:
    """Return the newest mails that wait, or also those that are settled."""
    return [_listed(row) for row in await pool.fetch(LIST, is_all, LISTED_MAX)]


async def list_failing(database: Database) -> Sequence[ListedMail]:
    """Return the newest mails that do not get through."""
    return [_listed(row) for row in await database.fetch(LIST_FAILING, LISTED_MAX)]


async def retry_mail(connection: Database, mail_id: str, *, now: datetime) -> None:
    """Have a mail that waits tried at once. Raises UnknownMail."""
    if not _is_possible(mail_id) or not await connection.fetch(RETRY, mail_id, now):
        raise _nothing_waits()


async def drop_mail(connection: Database, mail_id: str, *, now: datetime) -> None:
    """Give a mail up that waits, and forget what it said. Raises UnknownMail.

    One that is on its way at this moment may still arrive.
    """
    if not _is_possible(mail_id) or not await connection.fetch(DROP, mail_id, now):
        raise _nothing_waits()


async def read_mail(pool: asyncpg.Pool, mail_id: str) -> KeptMail:
    """Return a mail that waits. Raises UnknownMail."""
    row = await pool.fetchrow(READ, mail_id) if _is_possible(mail_id) else None
    if row is None:
        raise UnknownMail("There is no mail with that id. `mahjic mail list` shows the ids.")
    if row["state"] != "queued":
        raise UnknownMail(
            f"The mail {mail_id} is {row['state'].replace('_', ' ')}: what it said is forgotten."
        )
    return KeptMail(**{name: row[name] for name in KeptMail.__slots__})


async def standing(pool: Database, *, now: datetime) -> OutboxStanding:
    """Return how the outbox stands."""
    row = await pool.fetchrow(STANDING, now)
    assert row is not None
    return OutboxStanding(row["queued"], row["oldest_due_at"])


def _listed(row: asyncpg.Record) -> ListedMail:
    return ListedMail(
        to=masked(row["address"]),
        **{name: value for name, value in row.items() if name != "address"},
    )


def _is_possible(mail_id: str) -> bool:
    # Some texts that are not ids are not valid in PostgreSQL either.
    return mail_id.isascii() and mail_id.isprintable()


def _nothing_waits() -> UnknownMail:
    return UnknownMail("This mail is no longer waiting: it was sent, refused or given up.")


def masked(address: str) -> str:
    """Return enough of an address to tell it from others in a list, and no more."""
    local, _, domain = address.rpartition("@")
    name, dot, rest = domain.partition(".")
    return f"{local[:1]}…@{name[:1]}…{dot}{rest}"
