"""Forgets who a player is: everything that tells it goes, in one transaction. The log never knew.

What other rooms keep about people they erase themselves, in the same transaction. The wiring hands
them in, so that nobody who forgets a player can leave one out.
"""

from collections.abc import Sequence
from typing import Final, Protocol

from services.ingest.players.grouped import PersonIds, WholePerson, find_group, write_verification
from services.ingest.record.ids_and_times import IdsAndTimes
from services.ingest.record.known.groups import note_changes
from services.ingest.record.waterline import Writing
from services.ingest.roster.keeping import erase_from_rosters
from shared.db.erasing import note_erased
from shared.log.postgres import Connection

READ_ADDRESSES: Final = """
SELECT email FROM mahjic.people WHERE player_id = ANY($1) AND email IS NOT NULL ORDER BY email
"""
FORGET: Final = """
WITH words AS (
    DELETE FROM mahjic.private_words WHERE player_id = ANY($1)
), names AS (
    UPDATE mahjic.acquaintances SET name = NULL WHERE player_id = ANY($1) AND name IS NOT NULL
)
DELETE FROM mahjic.people WHERE player_id = ANY($1)
"""
# A statement of its own, after the people are gone: until then the player may say something more.
FORGET_DISPUTES: Final = "DELETE FROM mahjic.disputes WHERE player_id = ANY($1) RETURNING number"


class Erasable(Protocol):
    """What a room does to erase all that it keeps about somebody, in the open transaction."""

    async def __call__(self, connection: Connection, forgotten: WholePerson) -> None: ...


async def forget_person(
    connection: Connection,
    writing: Writing,
    player_id: str,
    ids_and_times: IdsAndTimes,
    erasables: Sequence[Erasable] = (),
) -> WholePerson:
    """Forget a player and everyone merged into it, and end the verification.

    Someone who is forgotten already stays so. Raises UnknownPlayer for an id never given out.
    """
    ids = await find_group(connection, player_id)
    rows = await connection.fetch(READ_ADDRESSES, ids.members)
    forgotten = WholePerson(ids.members, [row["email"] for row in rows])
    if ids.known:
        await _forget(connection, writing, ids)
    await erase_from_rosters(connection, ids.members, forgotten.addresses)
    for erase in erasables:
        await erase(connection, forgotten)
    await write_verification(connection, writing, ids.verified, ids_and_times, is_verified=False)
    return forgotten


async def _forget(connection: Connection, writing: Writing, ids: PersonIds) -> None:
    await connection.execute(FORGET, ids.known)
    await note_erased(connection, "people", "acquaintances", "private_words")
    if await connection.fetch(FORGET_DISPUTES, ids.members):
        await note_erased(connection, "disputes")
    await note_changes(connection, writing.head, sorted({*ids.known, ids.survivor}))
