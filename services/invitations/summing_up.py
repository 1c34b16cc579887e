"""Writes summaries: one letter for each person and night, once the night has been quiet.

The night stays due until everyone is told, and whoever was told is on record: so whatever process
goes on with it tells nobody twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Protocol

from services.accounts.own.mail_choices import wanting_summaries
from services.ingest.people.reaching import hold_address
from services.invitations.night_readers import NightReader, readers_of
from services.invitations.nights import night_in_short
from services.invitations.place import lock_followed, read_followed
from services.invitations.room import InvitationRoom, is_behind, oldest_day
from services.mail.writing.in_short import NightInShort
from services.mail.writing.letters import summary_letter
from shared.events.verdicts import SessionRated
from shared.mail.causes import caused_by, source_cause
from shared.mail.letters import Letter
from shared.mail.no_more import NO_MORE_PATH
from shared.mail.taking import TakenMail

OWN_PAGE: Final = "/me"
# The views show a night a moment after its verdicts; while they are built, that takes longer.
LOOK_AGAIN_AFTER: Final = timedelta(minutes=1)

NEXT_DUE: Final = """
SELECT awaited.source, sources.name, awaited.session_date, awaited.due_at
FROM mahjic.awaited_summaries AS awaited
JOIN mahjic.listed_sources AS sources ON sources.slug = awaited.source
WHERE awaited.due_at <= $1
ORDER BY awaited.due_at, awaited.source, awaited.session_date LIMIT 1
"""
# A night to which something was added meanwhile is looked at again.
DONE: Final = """
DELETE FROM mahjic.awaited_summaries WHERE source = $1 AND session_date = $2 AND due_at = $3
"""
PUT_OFF: Final = """
UPDATE mahjic.awaited_summaries SET due_at = $4
WHERE source = $1 AND session_date = $2 AND due_at = $3
"""
WAS_TOLD: Final = """
SELECT EXISTS (
    SELECT FROM mahjic.summaries
    WHERE player_id = ANY($1) AND source = $2 AND session_date = $3
)
"""
IS_PUBLIC: Final = "SELECT EXISTS (SELECT FROM mahjic.public_players WHERE player_id = $1)"
NOTE_TOLD: Final = """
INSERT INTO mahjic.summaries (
    player_id, source, session_date, mail_id, tells_rating, queued_at
) VALUES ($1, $2, $3, $4, $5, $6)
"""
READ_LETTER: Final = "SELECT player_id, tells_rating FROM mahjic.summaries WHERE mail_id = $1"
DROP_OLD: Final = "DELETE FROM mahjic.summaries WHERE session_date < $1"


@dataclass(frozen=True, slots=True)
class ShownNight:
    """What the views show of sessions and players: ratings are in hundredths.

    Everything up to the fact `seq` is in it; a session of before that is not there was refused.
    """

    seq: int
    sessions: Sequence[SessionRated]
    ratings: Mapping[str, int]


class RatedNights(Protocol):
    """What is shown of a night, for who may see it."""

    async def shown(
        self, session_ids: Sequence[str], player_ids: Sequence[str]
    ) -> ShownNight | None:
        """Return what the views show; None while they can't be read."""
        ...


@dataclass(frozen=True, slots=True)
class DueNight:
    """A night to which nothing was added for a while."""

    source: str
    source_name: str
    day: date
    due_at: datetime


async def sum_up_next(room: InvitationRoom, nights: RatedNights) -> int | None:
    """Tell those of the next night that is due who chose that; return how many letters that were.

    None is returned if there is none.
    """
    now, place = room.now(), await read_followed(room.pool)
    async with room.pool.acquire() as connection:
        row = await connection.fetchrow(NEXT_DUE, now)
        if row is None:
            return None
        night = DueNight(*row)
        is_told = night.day >= oldest_day(now) and not is_behind(night.day, now, place.marked_at)
        readers = await readers_of(connection, night.source, night.day) if is_told else []
    written = 0
    for reader in readers:
        shown = await nights.shown(reader.sessions, [reader.player_id])
        if shown is None or shown.seq < reader.fact_seq:
            later = now + LOOK_AGAIN_AFTER
            await room.pool.execute(PUT_OFF, night.source, night.day, night.due_at, later)
            return written
        written += await _tell(room, night, reader, shown)
    await room.pool.execute(DONE, night.source, night.day, night.due_at)
    return written


async def is_summary_untrue(room: InvitationRoom, mail: TakenMail) -> bool:
    """Return whether a summary that is about to be sent may no longer be sent.

    Its reader may have gone out of sight meanwhile, or no longer want summaries.
    """
    async with room.pool.acquire() as connection:
        letter = await connection.fetchrow(READ_LETTER, mail.mail_id)
        if letter is None or not await wanting_summaries(connection, [mail.address]):
            return True
        is_public = await connection.fetchval(IS_PUBLIC, letter["player_id"])
        return bool(letter["tells_rating"] and not is_public)


async def drop_old_summaries(room: InvitationRoom) -> None:
    """Forget who was told of nights that nobody is told of anymore."""
    await room.pool.execute(DROP_OLD, oldest_day(room.now()))


async def _tell(
    room: InvitationRoom, night: DueNight, reader: NightReader, shown: ShownNight
) -> bool:
    """Write one letter, unless its reader was told or went away meanwhile."""
    async with room.pool.acquire() as connection, connection.transaction():
        await lock_followed(connection)
        key = (night.source, night.day)
        was_told = await connection.fetchval(WAS_TOLD, reader.player_ids, *key)
        is_there = await hold_address(connection, reader.addressed) == reader.address
        if was_told or not is_there:
            return False
        # Asked again: whoever has just gone out of sight gets no mail with a rating.
        is_public = await connection.fetchval(IS_PUBLIC, reader.player_id)
        rating = shown.ratings.get(reader.player_id) if is_public else None
        in_short = night_in_short(shown.sessions, reader.player_ids, rating)
        if in_short is None:
            return False
        with caused_by(source_cause(night.source)):
            mail_id = await room.outbox.queue(connection, _letter(room, night, reader, in_short))
        if mail_id is None:
            return False
        tells_rating = in_short.rating is not None
        now = room.now()
        await connection.execute(NOTE_TOLD, reader.player_id, *key, mail_id, tells_rating, now)
        return True


def _letter(
    room: InvitationRoom, night: DueNight, reader: NightReader, in_short: NightInShort
) -> Letter:
    site_url = room.site_url()
    return summary_letter(
        reader.address,
        source=night.source_name,
        day=night.day,
        night=in_short,
        page_url=f"{site_url}{OWN_PAGE}",
        no_more_url=f"{site_url}{NO_MORE_PATH}{room.outbox.no_more_token(reader.address)}",
    )
