"""Whom mail about ratings may reach: all ids of a person, and the address behind each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.log.postgres import Connection

READ: Final = """
SELECT member.player_id, people.email,
    COALESCE(people.is_private AND people.privacy_by <> 'source', false) AS hides
FROM mahjic.members(mahjic.survivor($1)) AS member (player_id)
LEFT JOIN mahjic.people AS people USING (player_id)
ORDER BY member.player_id
"""
# Whoever is being forgotten is written to no more: forgetting waits until we are done, or we until
# the person is gone.
HOLD: Final = "SELECT email FROM mahjic.people WHERE player_id = $1 FOR KEY SHARE"
READ_ADDRESSES: Final = """
SELECT player_id, email FROM mahjic.people WHERE player_id = ANY($1) AND email IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ReachablePerson:
    """A person's ids, and the addresses of those that have one.

    `asked_to_be_hidden` is what the player or the operator decided, not a source.
    """

    player_ids: Sequence[str]
    addresses: Mapping[str, str] = field(repr=False)
    asked_to_be_hidden: bool


async def person_behind(connection: Connection, player_id: str) -> ReachablePerson:
    """Return the person whom an id is read as; nobody has neither ids nor addresses."""
    rows = await connection.fetch(READ, player_id)
    return ReachablePerson(
        [row["player_id"] for row in rows],
        {row["player_id"]: row["email"] for row in rows if row["email"] is not None},
        any(row["hides"] for row in rows),
    )


async def hold_address(connection: Connection, player_id: str) -> str | None:
    """Return the address of an id, which can't be erased until the open transaction ends."""
    address: str | None = await connection.fetchval(HOLD, player_id)
    return address


async def addresses_of(connection: Connection, player_ids: Sequence[str]) -> Mapping[str, str]:
    """Return the addresses of those of these ids that have one."""
    rows = await connection.fetch(READ_ADDRESSES, player_ids)
    return {row["player_id"]: row["email"] for row in rows}
