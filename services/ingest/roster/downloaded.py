"""What rosters hold about somebody who downloads everything that is stored about them."""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Final, Protocol

import asyncpg

READ: Final = """
SELECT source, player_id, address, name, is_private, written_at, name IS NULL AS is_taken_off
FROM mahjic.roster WHERE player_id = ANY($1) OR address = ANY($2) ORDER BY source, number
"""


class _Person(Protocol):
    @property
    def player_ids(self) -> Sequence[str]: ...

    @property
    def addresses(self) -> Sequence[str]: ...


class RosterSection:
    """What the people of sources call somebody, beside the names that the sources sent."""

    name = "rosters"

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def about(self, person: _Person) -> AsyncIterator[Mapping[str, Any]]:
        """Yield each row as values that JSON can hold."""
        for row in await self._pool.fetch(READ, list(person.player_ids), list(person.addresses)):
            yield dict(row)
