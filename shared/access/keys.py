"""Creates, lists and revokes API keys; a key's text is shown only once, when it is created."""

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

import asyncpg

from shared.access.sources import UnknownSource
from shared.db.sandbox import is_sandbox
from shared.errors import MahjicError
from shared.ids import CROCKFORD, api_key, is_slug

KeyKind: TypeAlias = Literal["source", "operator", "auditor"]

_KEY_ID: Final = re.compile(r"key_[0-9A-Z]{8}", re.ASCII)

CREATE: Final = """
    INSERT INTO mahjic.api_keys (key_id, key_hash, kind, source, created_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (key_id) DO NOTHING
    RETURNING key_id, kind, source, created_at, revoked_at
"""
LIST: Final = """
    SELECT key_id, kind, source, created_at, revoked_at
    FROM mahjic.api_keys ORDER BY created_at, key_id
"""
REVOKE: Final = """
    UPDATE mahjic.api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE key_id = $1
    RETURNING key_id, kind, source, created_at, revoked_at
"""


class UnknownKey(MahjicError):
    """No API key has that id."""

    code = "unknown_key"
    title = "The API key is unknown"
    status = 404

    def __init__(self) -> None:
        # The text is not repeated: someone in a hurry may have entered the key itself.
        super().__init__(
            "There is no API key with that id. List the keys, and look for an id like key_7K3Q9XZM."
        )


@dataclass(frozen=True, slots=True)
class Key:
    """An API key as it may be shown and logged, without its text and its hash."""

    key_id: str
    kind: KeyKind
    source: str | None
    created_at: datetime
    revoked_at: datetime | None


async def create_key(
    pool: asyncpg.Pool, kind: KeyKind, source: str | None = None, *, now: datetime
) -> tuple[Key, str]:
    """Create a key and return it with its text, never shown again. Raises UnknownSource."""
    assert (kind == "source") == (source is not None), "Only a key of a source names one."
    if source is not None and not is_slug(source):
        raise UnknownSource(source)
    text = api_key(secrets.token_bytes(32), is_of_sandbox=await is_sandbox(pool))
    row = None
    while row is None:  # A key id that is taken already is as good as never drawn.
        try:
            row = await pool.fetchrow(CREATE, new_key_id(), key_hash(text), kind, source, now)
        except asyncpg.ForeignKeyViolationError:
            assert source is not None
            raise UnknownSource(source) from None
    return _key(row), text


async def list_keys(pool: asyncpg.Pool) -> list[Key]:
    """Return all keys, including revoked ones, by age."""
    return [_key(row) for row in await pool.fetch(LIST)]


async def revoke_key(pool: asyncpg.Pool, key_id: str, *, now: datetime) -> Key:
    """Refuse a key from now on; one that is already revoked stays as it is. Raises UnknownKey."""
    # Some texts that are not ids are not valid in PostgreSQL either, and must not get there.
    row = await pool.fetchrow(REVOKE, key_id, now) if is_key_id(key_id) else None
    if row is None:
        raise UnknownKey
    return _key(row)


def key_hash(text: str) -> bytes:
    """Return what is stored of a key. Its 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(text.encode()).digest()


def is_key_id(text: str) -> bool:
    """Return whether a text has the shape of the id of a key."""
    return _KEY_ID.fullmatch(text) is not None


def new_key_id() -> str:
    """Return an id that hardly any other key has."""
    return "key_" + "".join(secrets.choice(CROCKFORD) for _ in range(8))


def _key(row: asyncpg.Record) -> Key:
    return Key(row["key_id"], row["kind"], row["source"], row["created_at"], row["revoked_at"])
