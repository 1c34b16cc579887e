"""Which member did what to the sessions of a source, for its own desk alone.

On the log a session is sent, corrected and voided by the source; no person is there. Here are ids
only, and an account that is forgotten or removed is no longer named anywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal, TypeAlias

from services.accounts.ports import Connection

SessionActKind: TypeAlias = Literal["sent", "corrected", "voided", "brought_back", "answered"]

# What is noted as the session changes must not fail because somebody was forgotten just then.
NOTE: Final = """
INSERT INTO mahjic.session_acts (source, session_id, act, account_id, at)
VALUES (
    $1, $2, $3,
    (SELECT account_id FROM mahjic.accounts WHERE account_id = $4 FOR KEY SHARE), $5
)
ON CONFLICT DO NOTHING
"""
LIST: Final = """
SELECT acts.session_id, acts.act, acts.at, acts.account_id = $3 AS is_own, members.known_as
FROM mahjic.session_acts AS acts
LEFT JOIN mahjic.source_members AS members
    ON members.source = acts.source AND members.account_id = acts.account_id
WHERE acts.source = $1 AND acts.session_id = ANY($2)
ORDER BY acts.number
"""


@dataclass(frozen=True, slots=True)
class SessionAct:
    """What a member did. `known_as` is the address by which the source knows them, if it does."""

    session_id: str
    act: SessionActKind
    at: datetime
    is_own: bool
    known_as: str | None = field(repr=False)


async def note_session_act(
    connection: Connection,
    source: str,
    session_id: str,
    act: SessionActKind,
    *,
    by: str,
    at: datetime,
) -> None:
    """Note what an account does to a session, in the transaction that does it."""
    assert connection.is_in_transaction(), "An act is noted with what it does, or not at all."
    await connection.execute(NOTE, source, session_id, act, by, at)


async def acts_on_sessions(
    connection: Connection, source: str, session_ids: Sequence[str], *, reader: str
) -> Sequence[SessionAct]:
    """Return what members did to sessions, the earliest first, as the account `reader` sees it."""
    rows = await connection.fetch(LIST, source, list(session_ids), reader)
    return [
        SessionAct(row["session_id"], row["act"], row["at"], bool(row["is_own"]), row["known_as"])
        for row in rows
    ]
