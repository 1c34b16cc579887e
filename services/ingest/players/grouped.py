"""The ids of one person, and what can be done to all of them, in a transaction that holds the head.

Merged ids are one person: what is asked for one of them is done for the whole group.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import note_changes
from services.ingest.record.waterline import Writing
from shared.errors import UnknownPlayer
from shared.events.codec import encode_fact
from shared.events.facts import PlayerVerificationEnded, PlayerVerified
from shared.log.postgres import Connection

# Whose word on the privacy of a person it is. Sources can change neither.
PrivacyBy: TypeAlias = Literal["player", "operator"]

FIND_SURVIVOR: Final = "SELECT mahjic.survivor($1)"
READ_GROUP: Final = """
SELECT players.player_id, players.is_verified, people.player_id IS NOT NULL AS is_known
FROM mahjic.members($1) AS member (player_id)
JOIN mahjic.players AS players USING (player_id)
LEFT JOIN mahjic.people AS people USING (player_id)
ORDER BY player_id
"""
SET_VERIFIED: Final = "UPDATE mahjic.players SET is_verified = $2 WHERE player_id = ANY($1)"
SET_PRIVACY: Final = """
UPDATE mahjic.people SET is_private = $2, privacy_by = $3
WHERE player_id = ANY($1) AND (is_private, privacy_by) IS DISTINCT FROM ($2, $3)
RETURNING player_id
"""


@dataclass(frozen=True, slots=True)
class PersonIds:
    """A survivor and everyone merged into it: the ids of one person.

    Ids in `known` are of people. The others are forgotten.
    """

    survivor: str
    members: Sequence[str]
    known: Sequence[str]
    verified: Sequence[str]

    @property
    def is_a_person(self) -> bool:
        """Whether somebody with an address is behind it, who is not forgotten."""
        return bool(self.known) and not self.survivor.startswith("AN-")


@dataclass(frozen=True, slots=True)
class WholePerson:
    """Somebody as other rooms know them: all ids of the person, and the addresses on record."""

    player_ids: Sequence[str]
    addresses: Sequence[str] = field(repr=False)


async def find_group(connection: Connection, player_id: str) -> PersonIds:
    """Return the ids of the person whom an id is read as. Raises UnknownPlayer."""
    survivor = await connection.fetchval(FIND_SURVIVOR, player_id)
    if survivor is None:
        raise UnknownPlayer(f"There is no player with the id {player_id}.")
    rows = await connection.fetch(READ_GROUP, survivor)
    return PersonIds(
        survivor,
        members=[row["player_id"] for row in rows],
        known=[row["player_id"] for row in rows if row["is_known"]],
        verified=[row["player_id"] for row in rows if row["is_verified"]],
    )


async def find_person(connection: Connection, player_id: str) -> PersonIds:
    """Return the ids of a person with an address. Raises UnknownPlayer, also for anyone else."""
    group = await find_group(connection, player_id)
    if not group.is_a_person:
        raise UnknownPlayer(f"There is no person with an address behind {player_id}.")
    return group


async def write_privacy(
    connection: Connection, writing: Writing, group: PersonIds, *, is_private: bool, by: PrivacyBy
) -> None:
    """Show or hide a person. No source can change it afterward."""
    rows = await connection.fetch(SET_PRIVACY, group.members, is_private, by)
    if rows:
        # The survivor is shown or hidden according to what is known about the group's members.
        changed = {group.survivor, *(row["player_id"] for row in rows)}
        await note_changes(connection, writing.head, sorted(changed))


async def write_verification(
    connection: Connection,
    writing: Writing,
    player_ids: Sequence[str],
    ids_and_times: IdsAndTimes,
    *,
    is_verified: bool,
) -> None:
    """Write one fact for each of these players. Without players, write nothing."""
    if not player_ids:
        return
    event = PlayerVerified if is_verified else PlayerVerificationEnded
    bodies = [
        encode_fact(
            event(player_id), log_id=writing.head.log_id, seq=seq, time=ids_and_times.timestamp()
        )
        for seq, player_id in enumerate(player_ids, start=writing.next_seq)
    ]
    await connection.execute(SET_VERIFIED, player_ids, is_verified)
    await writing.append(bodies)
