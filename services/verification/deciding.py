"""What staff decide about a player: Verified as they know the person, or never, or neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.ingest.players.grouped import WholePerson, find_group
from services.ingest.record.known.groups import PlayerMerged
from services.verification.entitlement import Decision
from services.verification.room import Connection, VerificationRoom
from services.verification.settling import Settled, settle
from shared.db.erasing import note_erased
from shared.errors import MahjicError
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, read_prose

NotedAbout: TypeAlias = Literal["grant", "block", "leave", "release"]

DECIDE: Final = """
INSERT INTO mahjic.verification_decisions (player_id, decision, reason, decided_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (player_id) DO UPDATE SET
    decision = excluded.decision, reason = excluded.reason, decided_at = excluded.decided_at
"""
TAKE_BACK: Final = """
DELETE FROM mahjic.verification_decisions WHERE player_id = ANY($1) RETURNING reason
"""
READ: Final = """
SELECT player_id, decision, reason, decided_at FROM mahjic.verification_decisions
WHERE player_id = ANY($1) ORDER BY decided_at, player_id
"""
NOTE: Final = """
INSERT INTO mahjic.verification_notes (player_id, about, words, noted_at) VALUES ($1, $2, $3, $4)
"""
READ_NOTES: Final = """
SELECT player_id, about, words, noted_at FROM mahjic.verification_notes
WHERE player_id = ANY($1) ORDER BY number
"""
ERASE_NOTES: Final = """
DELETE FROM mahjic.verification_notes WHERE player_id = ANY($1) RETURNING number
"""


class CannotBeVerified(MahjicError):
    """Anonymous players and forgotten people have no identity to verify."""

    code = "cannot_be_verified"
    title = "This player cannot be verified"
    status = 422


@dataclass(frozen=True, slots=True)
class Decided:
    """What staff decided about one id of a person, and why."""

    player_id: str
    decision: Decision
    reason: str | None
    decided_at: datetime


@dataclass(frozen=True, slots=True)
class Noted:
    """Why staff did something about one id of a person, in their words."""

    player_id: str
    about: NotedAbout
    words: str
    noted_at: datetime


async def decide(
    room: VerificationRoom, player_id: str, decision: Decision | None, reason: str | None
) -> Settled:
    """Write down what staff decided about a person, and settle what follows from it.

    None takes back what was decided: payment and identity decide then. Raises UnknownPlayer,
    PlayerMerged, or CannotBeVerified for a player behind whom there is no known person.
    """
    async with room.pool.acquire() as connection, room.waterline.writing(connection) as writing:
        group = await find_group(connection, player_id)
        if group.survivor != player_id:
            raise PlayerMerged(player_id, group.survivor)
        # What is said about somebody who was forgotten would never be erased.
        if decision is not None and not group.is_a_person:
            raise CannotBeVerified(
                f"{player_id} is anonymous or forgotten; there is no known person behind it."
            )
        # One decision for all ids of the person: an older one about another id would stay behind.
        await erase_decisions(connection, group.members)
        if decision is not None:
            await connection.execute(DECIDE, player_id, decision, reason, room.now())
        if reason is not None and group.is_a_person:
            await keep_note(connection, player_id, decision or "leave", reason, room.now())
        return await settle(room, connection, writing, player_id)


def read_reason(text: str) -> str | None:
    """Return why something was decided, None if there is nothing. Raises UnfitText."""
    return read_prose(text, SHORT_TEXT_CHARACTERS_MAX) if text.strip() else None


async def read_decided(connection: Connection, player_ids: Sequence[str]) -> Sequence[Decided]:
    """Return what staff decided about any of these ids."""
    return [Decided(*row) for row in await connection.fetch(READ, player_ids)]


async def keep_note(
    connection: Connection, player_id: str, about: NotedAbout, words: str, at: datetime
) -> None:
    """Keep why staff did something, until its person is forgotten."""
    await connection.execute(NOTE, player_id, about, words, at)


async def read_notes(connection: Connection, player_ids: Sequence[str]) -> Sequence[Noted]:
    """Return why staff did what they did about any of these ids, the oldest first."""
    return [Noted(*row) for row in await connection.fetch(READ_NOTES, player_ids)]


async def erase_decisions(connection: Connection, player_ids: Sequence[str]) -> None:
    """Erase what was decided about these ids, in the open transaction."""
    rows = await connection.fetch(TAKE_BACK, player_ids)
    if any(row["reason"] is not None for row in rows):
        await note_erased(connection, "verification_decisions")


async def erase_verification(connection: Connection, forgotten: WholePerson) -> None:
    """Forget what staff said about somebody. What is at Stripe goes with the account."""
    await erase_decisions(connection, forgotten.player_ids)
    if await connection.fetch(ERASE_NOTES, forgotten.player_ids):
        await note_erased(connection, "verification_notes")
