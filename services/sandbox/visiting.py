"""Makes a source with a key for whoever visits a sandbox, and shows the mail that they caused."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.accounts.memberships import make_member
from services.accounts.owners import lock_or_make_owner, typed_address
from services.accounts.ports import Connection
from services.accounts.room import Accounts
from services.accounts.tokens import token_hash
from shared.access.keys import new_key_id
from shared.access.lookups import KeyLookups
from shared.access.source_keys import NewSourceKey, make_source_key
from shared.access.sources import SourceDetails, SourceExists, add_source
from shared.db.locks import SANDBOX_LOCK
from shared.errors import MahjicError
from shared.http.problems import TooManyRequests
from shared.ids import CROCKFORD
from shared.mail.causes import CausedMail, mails_caused_by, source_cause, visitor_cause
from shared.request_counts import RequestCounts

# Nobody tries things out as more clubs than that; the sandbox holds a row or two for each.
SOURCES_PER_VISITOR_MAX: Final = 20
SOURCES_PER_MINUTE: Final = 5
KEYS_TRIED_PER_MINUTE: Final = 20
KEY_NAME: Final = "Made in the sandbox"
_ENDING_CHARACTERS: Final = 6

# One row at a time: whoever counts has the others of this visitor before them.
TAKE_TURN: Final = "SELECT pg_advisory_xact_lock($1, hashtext($2))"
LIST: Final = """
SELECT source FROM mahjic.sandbox_sources WHERE visitor = $1 ORDER BY made_at DESC, source
"""
NOTE: Final = """
INSERT INTO mahjic.sandbox_sources (source, visitor, made_at) VALUES ($1, $2, $3)
"""


class TooManySources(MahjicError):
    """A visitor has made as many sources as one may."""

    code = "too_many_sources"
    title = "You have made many sources"
    status = 409

    def __init__(self) -> None:
        super().__init__(
            f"You have made {SOURCES_PER_VISITOR_MAX} sources in this browser, which is as many "
            "as one visitor can have. Use one of them."
        )


@dataclass(frozen=True, slots=True)
class WantedSource:
    """What a visitor says about the source that they want."""

    name: str
    type: str
    address: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class MadeSource:
    """A source that was just made, with the text of its key, which is shown once."""

    slug: str
    address: str = field(repr=False)
    key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class SandboxRoom:
    """What visitors of a sandbox do. `visitor` is always the token that their browser keeps."""

    accounts: Accounts
    lookups: KeyLookups
    counts: RequestCounts = field(default_factory=RequestCounts)
    now_s: Callable[[], float] = time.monotonic

    async def make_source(self, visitor: str, network: str, wanted: WantedSource) -> MadeSource:
        """Make a source, its owner and a key.

        Raises WrongAddress, InvalidSource, TooManySources, TooManyRequests or ServiceUnavailable.
        """
        address = typed_address(wanted.address)
        self._count("sources", network, SOURCES_PER_MINUTE)
        return await self.accounts.settled(lambda c: self._make(c, visitor, wanted, address))

    async def sources_of(self, visitor: str) -> Sequence[str]:
        """Return the sources that a visitor has made."""
        return await self.accounts.settled(lambda c: _sources(c, _cause_of(visitor)))

    async def mails_of(self, visitor: str) -> Sequence[CausedMail]:
        """Return the mails that a visitor's browser caused, and the keys of their sources."""
        cause = _cause_of(visitor)

        async def find(connection: Connection) -> Sequence[CausedMail]:
            causes = [source_cause(each) for each in await _sources(connection, cause)]
            return await mails_caused_by(connection, [cause, *causes])

        return await self.accounts.settled(find)

    async def mails_of_key(self, network: str, key: str) -> Sequence[CausedMail] | None:
        """Return the mails that the keys of a source caused; None if this is none of its keys.

        Raises KeyOfOtherKind, TooManyRequests or ServiceUnavailable.
        """
        self._count("keys", network, KEYS_TRIED_PER_MINUTE)
        caller = await self.lookups.authenticate(key)
        if caller is None or caller.source is None:
            return None
        causes = [source_cause(caller.source)]
        return await self.accounts.settled(lambda c: mails_caused_by(c, causes))

    async def _make(
        self, connection: Connection, visitor: str, wanted: WantedSource, address: str
    ) -> MadeSource:
        accounts, cause = self.accounts, _cause_of(visitor)
        now = accounts.chance.now()
        await connection.execute(TAKE_TURN, SANDBOX_LOCK, cause)
        if len(await _sources(connection, cause)) >= SOURCES_PER_VISITOR_MAX:
            raise TooManySources
        owner = await lock_or_make_owner(accounts.chance, connection, address, is_proved=False)
        slug = await _add(connection, wanted, accounts)
        await make_member(connection, slug, owner.account_id, "owner", address=address, now=now)
        await connection.execute(NOTE, slug, cause, now)
        asked = NewSourceKey(new_key_id(), slug, KEY_NAME, owner.account_id)
        made = await make_source_key(connection, asked, now=now)
        assert made is not None, "A new id is nobody's."
        return MadeSource(slug, address, made.text)

    def _count(self, what: str, network: str, limit: int) -> None:
        allowance = self.counts.take(f"{what} {network}", limit, self.now_s())
        if not allowance.is_granted:
            raise TooManyRequests(
                policy=f"sandbox {what}",
                limit_per_minute=limit,
                retry_after_s=allowance.window_s,
            )


async def _add(connection: Connection, wanted: WantedSource, accounts: Accounts) -> str:
    """Add a source under a short name that nobody has, and return it. Raises InvalidSource."""
    details = SourceDetails(wanted.name, wanted.type)
    while True:
        ending = "".join(secrets.choice(CROCKFORD) for _ in range(_ENDING_CHARACTERS))
        slug = f"try-{ending.lower()}"
        try:
            await add_source(connection, slug, details, now=accounts.chance.now())
        except SourceExists:
            continue
        return slug


async def _sources(connection: Connection, cause: str) -> list[str]:
    return [row["source"] for row in await connection.fetch(LIST, cause)]


def _cause_of(visitor: str) -> str:
    return visitor_cause(token_hash(visitor))
