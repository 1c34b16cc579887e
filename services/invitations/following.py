"""Follows the verdicts, and notes whom and which nights to look at later.

What is noted and how far it came change in one transaction. Two at once do no harm: one that finds
the place has moved reads it again.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Final

from services.invitations.place import lock_followed, read_followed, save_followed
from services.invitations.room import RECENT, Connection, InvitationRoom, oldest_day
from services.invitations.touched import Touched
from shared.feed.followers import recent_verdicts
from shared.log.port import Log, Position

# A session that is voided at once invites nobody.
INVITED_AFTER: Final = timedelta(minutes=15)
# Clubs send the tables of a night within an hour.
SUMMED_UP_AFTER: Final = timedelta(hours=1)
RECORDS_MAX: Final = 500

AWAIT_PLAYERS: Final = """
INSERT INTO mahjic.awaited_invitations AS earlier (player_id, due_at)
SELECT n.player_id, n.due_at FROM unnest($1::text[], $2::timestamptz[]) AS n (player_id, due_at)
ON CONFLICT (player_id) DO UPDATE SET due_at = GREATEST(earlier.due_at, excluded.due_at)
"""
AWAIT_SEATED: Final = """
INSERT INTO mahjic.awaited_invitations AS earlier (player_id, due_at)
SELECT seats.player_id, max(n.due_at)
FROM unnest($1::text[], $2::timestamptz[]) AS n (session_id, due_at)
JOIN mahjic.recorded_seats AS seats USING (session_id)
GROUP BY seats.player_id
ON CONFLICT (player_id) DO UPDATE SET due_at = GREATEST(earlier.due_at, excluded.due_at)
"""
AWAIT_NIGHTS: Final = """
INSERT INTO mahjic.awaited_summaries AS earlier (source, session_date, due_at)
SELECT n.source, n.session_date, n.due_at
FROM unnest($1::text[], $2::date[], $3::timestamptz[]) AS n (source, session_date, due_at)
ON CONFLICT (source, session_date)
DO UPDATE SET due_at = GREATEST(earlier.due_at, excluded.due_at)
"""


async def follow_on(room: InvitationRoom, log: Log) -> int:
    """Take in the next verdicts, and return how many there were; 0 when there are none yet.

    Raises LogAway, LogGap, HistorySplit, UnknownEventType and UnreadableRecord.
    """
    place = await read_followed(room.pool)
    after = place.position or await log.beginning()
    records = await log.read(after, RECORDS_MAX)
    if not records:
        return 0
    now = room.now()
    verdicts, fact_seq = await recent_verdicts(records, since=now - RECENT)
    touched = Touched(oldest_day(now))
    for verdict in verdicts:
        touched.take_in(verdict)
    async with room.pool.acquire() as connection, connection.transaction():
        if await lock_followed(connection) == place:
            await _await(connection, touched)
            last = records[-1]
            end = Position(after.log_id, last.seq, last.chain)
            await save_followed(connection, end, fact_seq or place.fact_seq)
    return len(records)


async def _await(connection: Connection, touched: Touched) -> None:
    for statement, found in (
        (AWAIT_PLAYERS, touched.players),
        (AWAIT_SEATED, touched.sessions),
    ):
        if found:
            await connection.execute(statement, *_due(found, INVITED_AFTER))
    if touched.nights:
        sources, days, due = _due_nights(touched.nights)
        await connection.execute(AWAIT_NIGHTS, sources, days, due)


def _due(found: Mapping[str, datetime], after: timedelta) -> tuple[list[str], list[datetime]]:
    return list(found), [at + after for at in found.values()]


def _due_nights(
    nights: Mapping[tuple[str, date], datetime],
) -> tuple[list[str], list[date], list[datetime]]:
    sources = [source for source, _ in nights]
    days = [day for _, day in nights]
    return sources, days, [at + SUMMED_UP_AFTER for at in nights.values()]
