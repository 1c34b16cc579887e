"""Writes invitations: one for each address, ever, and no more in an hour than the operator wants.

Each is a transaction of its own, which looks up everything again and holds the place: of two
processes, one decides.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from services.accounts.tokens import TOKEN_BYTES, token_hash, token_of
from services.invitations.conditions import InvitedSeat, seat_to_invite
from services.invitations.place import lock_followed, read_followed
from services.invitations.room import RECENT, Connection, InvitationRoom
from services.mail.writing.letters import rated_letter
from shared.mail.causes import caused_by, source_cause
from shared.mail.letters import Letter
from shared.mail.no_more import NO_MORE_PATH
from shared.mail.taking import TakenMail

INVITED_PATH: Final = "/invited/"
# Logs in first, and leads to the page of one's own.
CLAIM_PATH: Final = "/login?to=/me"
COUNTED_OVER: Final = timedelta(hours=1)

COUNT_INVITED: Final = "SELECT count(*) FROM mahjic.invited_addresses WHERE invited_at > $1"
NEXT_DUE: Final = """
SELECT player_id FROM mahjic.awaited_invitations WHERE due_at <= $1
ORDER BY due_at, player_id LIMIT 1
"""
DONE: Final = "DELETE FROM mahjic.awaited_invitations WHERE player_id = $1"
DROP_OLD: Final = "DELETE FROM mahjic.awaited_invitations WHERE due_at < $1"
IS_INVITED: Final = """
SELECT EXISTS (SELECT FROM mahjic.invited_addresses WHERE address_hash = ANY($1))
"""
NOTE_INVITED: Final = """
INSERT INTO mahjic.invited_addresses (address_hash, invited_at) VALUES ($1, $2)
"""
NOTE_LETTER: Final = """
INSERT INTO mahjic.invitations (
    mail_id, token_hash, address_hash, player_id, session_id, source, session_date, queued_at
) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
"""
READ_LETTER: Final = """
SELECT player_id, source, session_date FROM mahjic.invitations WHERE mail_id = $1
"""


async def invite_next(room: InvitationRoom) -> bool | None:
    """Look at the next player whose time has come, and return whether an invitation was written.

    None is returned if there is nobody to look at now.
    """
    if await room.pool.fetchval(NEXT_DUE, room.now()) is None:
        return None  # Most of the time, and nothing is locked for it.
    async with room.pool.acquire() as connection, connection.transaction():
        place, now = await lock_followed(connection), room.now()
        if await connection.fetchval(COUNT_INVITED, now - COUNTED_OVER) >= room.per_hour:
            return None
        player_id = await connection.fetchval(NEXT_DUE, now)
        if player_id is None:
            return None
        seat = await seat_to_invite(room.outbox, connection, player_id, place.marked_at)
        is_written = seat is not None and await _invite(room, connection, seat, now)
        await connection.execute(DONE, player_id)
        return is_written


async def drop_old(room: InvitationRoom) -> None:
    """Give up on those who waited until their first session was old."""
    await room.pool.execute(DROP_OLD, room.now() - RECENT)


async def is_untrue(room: InvitationRoom, mail: TakenMail) -> bool:
    """Return whether an invitation that is about to be sent would no longer be written."""
    place = await read_followed(room.pool)
    async with room.pool.acquire() as connection:
        letter = await connection.fetchrow(READ_LETTER, mail.mail_id)
        if letter is None:
            return True
        seat = await seat_to_invite(room.outbox, connection, letter["player_id"], place.marked_at)
    if seat is None or seat.address != mail.address:
        return True
    told = (letter["player_id"], letter["source"], letter["session_date"])
    return told != (seat.player_id, seat.source, seat.day)


async def _invite(
    room: InvitationRoom, connection: Connection, seat: InvitedSeat, now: datetime
) -> bool:
    """Write an invitation, unless the person had one at any of their addresses."""
    hashes = room.outbox.hashes
    assert hashes is not None, "Without them, nobody may be written to."
    by_address: Mapping[str, bytes] = {each: hashes.of(each) for each in seat.addresses}
    if await connection.fetchval(IS_INVITED, list(by_address.values())):
        return False
    token = token_of(room.random_bytes(TOKEN_BYTES))
    with caused_by(source_cause(seat.source)):
        mail_id = await room.outbox.queue(connection, _letter(room, seat, token))
    if mail_id is None:
        return False  # The reader has just said that they want no more mail.
    address_hash = by_address[seat.address]
    await connection.execute(NOTE_INVITED, address_hash, now)
    told = (seat.player_id, seat.session_id, seat.source, seat.day)
    await connection.execute(NOTE_LETTER, mail_id, token_hash(token), address_hash, *told, now)
    return True


def _letter(room: InvitationRoom, seat: InvitedSeat, token: str) -> Letter:
    site_url = room.site_url()
    return rated_letter(
        seat.address,
        source=seat.source_name,
        day=seat.day,
        claim_url=f"{site_url}{CLAIM_PATH}",
        not_me_url=f"{site_url}{INVITED_PATH}{token}",
        no_more_url=f"{site_url}{NO_MORE_PATH}{room.outbox.no_more_token(seat.address)}",
    )
