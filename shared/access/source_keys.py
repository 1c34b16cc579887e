"""Makes, lists and revokes the keys of one source, for whoever keeps its desk.

All of it happens in the open transaction of a caller who has checked that they may. A key is made
under an id that its form carries: the form sent again makes no second key, but gives the same one a
new text, as long as nobody has used it. So whoever pressed twice has the text that works.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.access.keys import is_key_id, key_hash
from shared.db.sandbox import is_sandbox
from shared.ids import api_key

# Whoever waits longer has closed the page, and makes another key.
FORM_GOOD_FOR: Final = timedelta(minutes=10)

MAKE: Final = """
INSERT INTO mahjic.api_keys AS kept
    (key_id, key_hash, kind, source, created_at, name, is_of_member, made_by)
VALUES ($1, $2, 'source', $3, $4, $5, true, $6)
ON CONFLICT (key_id) DO UPDATE SET key_hash = excluded.key_hash, name = excluded.name
WHERE kept.source = excluded.source AND kept.made_by = excluded.made_by
    AND kept.used_on IS NULL AND kept.revoked_at IS NULL AND kept.created_at > $7
RETURNING created_at = $4 AS is_new
"""
LIST: Final = """
SELECT key_id, name, is_of_member, made_by, created_at, used_on, revoked_at
FROM mahjic.api_keys WHERE source = $1
ORDER BY revoked_at IS NOT NULL, created_at DESC, key_id LIMIT $2
"""
COUNT: Final = """
SELECT count(*) FROM mahjic.api_keys WHERE source = $1 AND revoked_at IS NULL AND key_id <> $2
"""
REVOKE: Final = """
UPDATE mahjic.api_keys SET revoked_at = $3
WHERE source = $1 AND key_id = $2 AND revoked_at IS NULL RETURNING key_id
"""
MOVE: Final = "UPDATE mahjic.api_keys SET made_by = $2 WHERE made_by = $1"
LIST_MADE_BY: Final = """
SELECT key_id, source, name, made_by, created_at, used_on, revoked_at
FROM mahjic.api_keys WHERE made_by = $1 ORDER BY created_at, key_id
"""

Connection = asyncpg.Connection | PoolConnectionProxy


@dataclass(frozen=True, slots=True)
class SourceKey:
    """A key of a source as its owners see it, without its text and its hash."""

    key_id: str
    name: str | None
    is_of_member: bool
    made_by: str | None
    created_at: datetime
    used_on: date | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class NewSourceKey:
    """A key that somebody wants: under which id, what for, and who they are."""

    key_id: str
    source: str
    name: str
    made_by: str


@dataclass(frozen=True, slots=True)
class MadeSourceKey:
    """The text of a key, to be shown once; not `is_new` if it is for a key made a moment ago."""

    text: str = field(repr=False)
    is_new: bool


async def make_source_key(
    connection: Connection, wanted: NewSourceKey, *, now: datetime
) -> MadeSourceKey | None:
    """Make a key, or give the one of the same form another text; None if the form is used up."""
    if not is_key_id(wanted.key_id):
        return None
    text = api_key(secrets.token_bytes(32), is_of_sandbox=await is_sandbox(connection))
    row = await connection.fetchrow(
        MAKE,
        wanted.key_id,
        key_hash(text),
        wanted.source,
        now,
        wanted.name,
        wanted.made_by,
        now - FORM_GOOD_FOR,
    )
    return None if row is None else MadeSourceKey(text, row["is_new"])


async def list_source_keys(
    connection: Connection, source: str, *, limit: int
) -> Sequence[SourceKey]:
    """Return the keys of a source: those that work first, then the revoked ones."""
    return [SourceKey(*row) for row in await connection.fetch(LIST, source, limit)]


async def count_other_keys(connection: Connection, source: str, key_id: str) -> int:
    """Return how many keys of a source work, but for one."""
    return int(await connection.fetchval(COUNT, source, key_id))


async def revoke_source_key(
    connection: Connection, source: str, key_id: str, *, now: datetime
) -> bool:
    """Refuse a key of a source from now on; return whether there was one that worked."""
    # Some texts that are not ids are not valid in PostgreSQL either, and must not get there.
    if not is_key_id(key_id):
        return False
    return await connection.fetchval(REVOKE, source, key_id, now) is not None


async def move_source_keys(connection: Connection, account_id: str, into: str) -> None:
    """Make the keys that an account made those of another, which is the same person."""
    await connection.execute(MOVE, account_id, into)


async def keys_made_by(connection: Connection, account_id: str) -> Sequence[asyncpg.Record]:
    """Return the keys that an account made, for the document of everything about its owner."""
    return await connection.fetch(LIST_MADE_BY, account_id)
