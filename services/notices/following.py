"""Follows the verdicts, and writes down what sources are told of them.

Notices and the place are written in one transaction. Two at once do no harm: one that finds that
the place has moved reads it again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg

from services.notices.addressing import addressed
from services.notices.keeping import KEPT_FOR
from services.notices.noticed import noticed
from services.notices.place import lock_noticed, read_noticed, save_noticed
from shared.feed.followers import recent_verdicts
from shared.log.port import Log, Position
from shared.notices.writing import write_notices

RECORDS_MAX: Final = 200


@dataclass(frozen=True, slots=True)
class NoticeRoom:
    """What everything in this room is done with."""

    pool: asyncpg.Pool = field(repr=False)
    now: Callable[[], datetime]


async def follow_notices(room: NoticeRoom, log: Log) -> int:
    """Tell of the next verdicts, and return how many there were; 0 when there are none yet.

    Raises LogAway, LogGap, HistorySplit, UnknownEventType and UnreadableRecord.
    """
    place = await read_noticed(room.pool)
    after = place.position or await log.beginning()
    records = await log.read(after, RECORDS_MAX)
    if not records:
        return 0
    verdicts, fact_seq = await recent_verdicts(records, since=room.now() - KEPT_FOR)
    told = [each for verdict in verdicts for each in noticed(verdict)]
    async with room.pool.acquire() as connection, connection.transaction():
        if await lock_noticed(connection) == place:
            last = records[-1]
            end = Position(after.log_id, last.seq, last.chain)
            await save_noticed(connection, end, fact_seq or place.fact_seq)
            await write_notices(connection, await addressed(connection, told))
    return len(records)
