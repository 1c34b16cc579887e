"""Finds out who owns an API key, at the moment of each request and with few queries.

A revoked key, a suspended source and a new limit take effect on the next request, so nothing is
cached: requests that come while a query runs share the next one.
"""

import asyncio
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import asyncpg

from shared.access.keys import key_hash
from shared.db.away import DATABASE_AWAY
from shared.errors import MahjicError, ServiceUnavailable
from shared.http.callers import Caller
from shared.http.problems import NotAuthenticated
from shared.ids import LIVE_KEY, SANDBOX_KEY, is_api_key, is_sandbox_key

# More keys than a service has sources; the next query takes any that are left.
BATCH_KEYS_MAX: Final = 1000
RETRY_S: Final = 0.2

FIND: Final = """
    SELECT keys.key_hash, keys.key_id, keys.kind, keys.source,
           sources.limit_per_minute, coalesce(sources.is_suspended, false) AS is_suspended,
           keys.used_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date
               AND current_setting('transaction_read_only') = 'off' AS is_first_today
    FROM mahjic.api_keys AS keys LEFT JOIN mahjic.sources ON sources.slug = keys.source
    WHERE keys.key_hash = ANY ($1::bytea[]) AND keys.revoked_at IS NULL
"""
# Once a day for each key, however many requests come. Nobody waits for somebody else who notes it.
NOTE_USE: Final = """
    UPDATE mahjic.api_keys SET used_on = (now() AT TIME ZONE 'UTC')::date WHERE key_id IN (
        SELECT key_id FROM mahjic.api_keys WHERE key_hash = ANY ($1::bytea[])
            AND used_on IS DISTINCT FROM (now() AT TIME ZONE 'UTC')::date
        FOR UPDATE SKIP LOCKED
    )
"""

READ_SUSPENDED: Final = "SELECT is_suspended FROM mahjic.sources WHERE slug = $1"


class KeyOfOtherKind(NotAuthenticated):
    """The key is for a sandbox and this service is live, or the other way around."""

    code = "key_of_other_kind"
    title = "The API key is for another kind of service"

    def __init__(self, *, is_sandbox: bool) -> None:
        here = "This is a sandbox, and the API key is one of a live service"
        if not is_sandbox:
            here = "This is a live service, and the API key is one of a sandbox"
        needed = SANDBOX_KEY if is_sandbox else LIVE_KEY
        super().__init__(
            f"{here}. Send a key that begins with {needed}, or send this one to where it is from.",
            key_was_sent=True,
        )


class SourceSuspended(MahjicError):
    """The key is valid, but its source is suspended for the time being."""

    code = "source_suspended"
    title = "The source is suspended"
    status = 403

    def __init__(self, source: str) -> None:
        super().__init__(
            f"The source {source} is suspended. Ask the operator why.",
            extra={"source": source},
        )


async def check_not_suspended(pool: asyncpg.Pool, source: str) -> None:
    """Check that a source may submit at all. Raises SourceSuspended or ServiceUnavailable."""
    try:
        is_suspended = await pool.fetchval(READ_SUSPENDED, source)
    except DATABASE_AWAY:
        raise ServiceUnavailable from None
    if is_suspended:
        raise SourceSuspended(source)


_Rows = Mapping[bytes, asyncpg.Record]


@dataclass(eq=False, slots=True)
class _Batch:
    """The keys of one query that has not started yet."""

    hashes: set[bytes] = field(default_factory=set)
    rows: "asyncio.Task[_Rows] | None" = None


class KeyLookups:
    """Looks up API keys in the database, one query at a time, with many keys in each.

    A lookup waits up to `database_wait_s` for a database that is away. The time is counted from
    the request, so that requests in the queue do not wait longer.
    """

    def __init__(
        self, pool: asyncpg.Pool, *, database_wait_s: float, is_sandbox: bool = False
    ) -> None:
        self._pool = pool
        self._is_sandbox = is_sandbox
        self._database_wait_s = database_wait_s
        self._turn = asyncio.Lock()
        self._next: _Batch | None = None

    async def authenticate(self, key_text: str) -> Caller | None:
        """Return who is calling with a key; None if it is unknown, revoked or not a key at all.

        Raises KeyOfOtherKind, SourceSuspended, or ServiceUnavailable.
        """
        if not is_api_key(key_text):
            return None
        if is_sandbox_key(key_text) is not self._is_sandbox:
            raise KeyOfOtherKind(is_sandbox=self._is_sandbox)
        asked = key_hash(key_text)
        rows = await self._rows_with(asked)
        # The hash finds the row, so the time this takes may reveal something about the hash of a
        # guess, which the guesser knows anyway; the final comparison takes constant time.
        row = rows.get(asked)
        if row is None or not hmac.compare_digest(row["key_hash"], asked):
            return None
        if row["is_suspended"]:
            raise SourceSuspended(row["source"])
        return Caller(
            kind=row["kind"],
            source=row["source"],
            key_id=row["key_id"],
            limit_per_minute=row["limit_per_minute"],
        )

    async def _rows_with(self, asked: bytes) -> _Rows:
        try:
            # Here too, since giving up on an unanswered query may take far longer.
            async with asyncio.timeout(self._database_wait_s):
                # The query is shared: someone who hangs up must not cancel it for the others.
                return await asyncio.shield(self._join(asked))
        except TimeoutError as error:
            raise ServiceUnavailable from error

    def _join(self, asked: bytes) -> "asyncio.Task[_Rows]":
        batch = self._next
        if batch is None or len(batch.hashes) >= BATCH_KEYS_MAX:
            batch = self._next = _Batch()
            batch.rows = asyncio.create_task(self._look_up(batch))
        batch.hashes.add(asked)
        assert batch.rows is not None
        return batch.rows

    async def _look_up(self, batch: _Batch) -> _Rows:
        try:
            async with asyncio.timeout(self._database_wait_s), self._turn:
                if self._next is batch:  # Requests from here on need a later query.
                    self._next = None
                return await self._find(list(batch.hashes))
        except TimeoutError as error:
            raise ServiceUnavailable from error
        finally:
            if self._next is batch:
                self._next = None

    async def _find(self, hashes: list[bytes]) -> _Rows:
        while True:
            try:
                rows = await self._pool.fetch(FIND, hashes)
                first = [row["key_hash"] for row in rows if row["is_first_today"]]
                if first:
                    await self._pool.fetch(NOTE_USE, first)
            except DATABASE_AWAY:
                await asyncio.sleep(RETRY_S)
            else:
                return {row["key_hash"]: row for row in rows}
