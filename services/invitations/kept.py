"""What is kept here about somebody: shown to them in their download, and erased with them.

That an address was invited stays, as a keyed hash, so that it is never invited again.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import asyncpg

from services.ingest.players.grouped import WholePerson
from services.invitations.room import Connection
from shared.db.erasing import note_erased

READ_INVITATIONS: Final = """
SELECT player_id, source, session_id, session_date, queued_at AS written_at,
    not_me_at AS said_not_me_at
FROM mahjic.invitations WHERE player_id = ANY($1) ORDER BY number
"""
READ_SUMMARIES: Final = """
SELECT player_id, source, session_date, queued_at AS written_at
FROM mahjic.summaries WHERE player_id = ANY($1) ORDER BY queued_at, player_id, source
"""
FORGET_AWAITED: Final = "DELETE FROM mahjic.awaited_invitations WHERE player_id = ANY($1)"
FORGET_INVITATIONS: Final = "DELETE FROM mahjic.invitations WHERE player_id = ANY($1)"
FORGET_SUMMARIES: Final = "DELETE FROM mahjic.summaries WHERE player_id = ANY($1)"


@dataclass(frozen=True, slots=True)
class KeptMails:
    """A list of the mails of one kind that were written to somebody."""

    pool: asyncpg.Pool
    name: str
    statement: str

    async def about(self, person: WholePerson) -> AsyncIterator[Any]:
        """Yield each mail: what it was about, and when it was written."""
        for row in await self.pool.fetch(self.statement, person.player_ids):
            yield dict(row)


def invitation_sections(pool: asyncpg.Pool) -> tuple[KeptMails, KeptMails]:
    """Return what somebody's download shows of this room."""
    return (
        KeptMails(pool, "invitations", READ_INVITATIONS),
        KeptMails(pool, "summaries", READ_SUMMARIES),
    )


async def erase_invitations(connection: Connection, forgotten: WholePerson) -> None:
    """Erase what is kept about somebody, in the open transaction."""
    for statement in (FORGET_AWAITED, FORGET_INVITATIONS, FORGET_SUMMARIES):
        await connection.execute(statement, forgotten.player_ids)
    await note_erased(connection, "awaited_invitations", "invitations", "summaries")
