"""What somebody who downloads everything about themselves is told of their memberships."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg

READ: Final = """
SELECT members.source, members.role, members.known_as AS address, members.since,
    false AS is_invitation
FROM mahjic.source_members AS members
WHERE members.account_id IN (
    SELECT account_id FROM mahjic.addresses WHERE address = ANY($1) AND proved_at IS NOT NULL
)
UNION ALL
SELECT invited.source, invited.role, invited.address, invited.invited_at, true
FROM mahjic.member_invitations AS invited WHERE invited.address = ANY($1)
ORDER BY source, is_invitation, address
"""


class KnownAddresses(Protocol):
    """Somebody as they are known here: by their addresses."""

    @property
    def addresses(self) -> Sequence[str]: ...


class MembershipSection:
    """The sources at whose desks somebody works, and those that invited them."""

    name = "memberships"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def about(self, person: KnownAddresses) -> AsyncIterator[Mapping[str, Any]]:
        """Yield each as values that JSON can hold."""
        for row in await self._pool.fetch(READ, list(person.addresses)):
            yield dict(row)
