"""Whom an invitation may go to, by what is on record at this moment.

Asked when one is about to be written, and again right before it is sent: a session may have been
voided, corrected or reassigned meanwhile, and its player may have come by themselves.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Final

import asyncpg

from services.accounts.owners import proved_among
from services.ingest.people.reaching import ReachablePerson, hold_address, person_behind
from services.invitations.room import Connection, is_behind, is_recent
from shared.mail.outbox import MailOutbox

# A correction stands in the place of the first session that it corrects, and that one was recorded
# when it was recorded.
FIRST_SESSION: Final = """
WITH RECURSIVE chosen AS (
    SELECT sent.session_id, sent.source, sent.session_date, sent.corrects, sent.submitted_at,
        seats.player_id
    FROM mahjic.recorded_seats AS seats
    JOIN mahjic.recorded_sessions AS sent USING (session_id)
    WHERE seats.player_id = ANY($1) AND sent.status = 'accepted'
    ORDER BY sent.place_seq, sent.fact_seq, seats.player_id LIMIT 1
), corrected AS (
    SELECT corrects, submitted_at FROM chosen
    UNION ALL
    SELECT earlier.corrects, earlier.submitted_at
    FROM corrected
    JOIN mahjic.recorded_sessions AS earlier ON earlier.session_id = corrected.corrects
)
SELECT chosen.session_id, chosen.source, chosen.session_date, chosen.player_id,
    sources.name AS source_name, sources.invites,
    (SELECT min(submitted_at) FROM corrected) AS recorded_at
FROM chosen JOIN mahjic.listed_sources AS sources ON sources.slug = chosen.source
"""
# Also those that no longer count: they may have been told of while they did.
EVER_SAT: Final = """
SELECT min(sent.submitted_at) AS recorded_at, min(sent.session_date) AS day
FROM mahjic.once_recorded_seats AS seats
JOIN mahjic.recorded_sessions AS sent USING (session_id)
WHERE seats.player_id = ANY($1)
"""


@dataclass(frozen=True, slots=True)
class InvitedSeat:
    """The seat in which somebody was rated first, and the address behind it."""

    player_id: str
    session_id: str
    source: str
    source_name: str
    day: date
    address: str = field(repr=False)
    # Of the whole person: whoever was merged has several.
    addresses: tuple[str, ...] = field(repr=False)


async def seat_to_invite(
    outbox: MailOutbox, connection: Connection, player_id: str, mark: datetime | None
) -> InvitedSeat | None:
    """Return the seat in which a player's person was rated first, if its player may be invited.

    The address can't be erased until the open transaction ends. Whether it was invited before is
    not asked here. What holds for one address of a person holds for all.
    """
    person = await person_behind(connection, player_id)
    if person.asked_to_be_hidden or not person.addresses:
        return None
    first = await connection.fetchrow(FIRST_SESSION, person.player_ids)
    if first is None or not _is_told_of(first, mark, now=outbox.now()):
        return None
    if mark is not None and await _ever_sat_behind(connection, person, mark):
        return None
    address = await hold_address(connection, first["player_id"])
    if address is None or not await _may_be_written_to(outbox, connection, person):
        return None
    return InvitedSeat(
        player_id=first["player_id"],
        session_id=first["session_id"],
        source=first["source"],
        source_name=first["source_name"],
        day=first["session_date"],
        address=address,
        addresses=tuple(person.addresses.values()),
    )


def _is_told_of(first: asyncpg.Record, mark: datetime | None, *, now: datetime) -> bool:
    """Return whether a session is one that people are told of."""
    day, recorded_at = first["session_date"], first["recorded_at"]
    if not first["invites"] or is_behind(day, recorded_at, mark):
        return False
    return is_recent(day, recorded_at, now=now)


async def _ever_sat_behind(connection: Connection, person: ReachablePerson, mark: datetime) -> bool:
    """Return whether a person was in any session of before a mark, whatever became of it since."""
    ever = await connection.fetchrow(EVER_SAT, person.player_ids)
    assert ever is not None, "An aggregate has one row."
    return is_behind(ever["day"], ever["recorded_at"], mark)


async def _may_be_written_to(
    outbox: MailOutbox, connection: Connection, person: ReachablePerson
) -> bool:
    """Return whether nobody has claimed the person, or said that they want no mail."""
    addresses = person.addresses.values()
    if await proved_among(connection, addresses):
        return False
    return all([await outbox.may_write_unasked(connection, each) for each in addresses])
