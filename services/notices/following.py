"""Follows the verdicts, and writes down what sources are told of them.

Notices and the place are written in one transaction. Two at once do no harm: one that finds that
the place has moved reads it again.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import asyncpg

from services.notices.addressing import addressed
from services.notices.keeping import KEPT_FOR
from services.notices.noticed import Noticed, noticed
from services.notices.place import lock_noticed, read_noticed, save_noticed
from shared.events.codec import decode_verdict
from shared.log.port import Log, Position, Record
from shared.notices.writing import write_notices

RECORDS_MAX: Final = 200
# Decoding shares the thread with requests; after this many records the others get a turn.
DECODE_RECORDS_MAX: Final = 50
# What comes before the data of a verdict.
HEAD_BYTES: Final = 1000
_HEAD: Final = re.compile(rb'"id":"([0-9]+)\.[0-9]+".*?"time":"([0-9T:.Z-]+)"')


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
    told, fact_seq = await _noticed_in(records, since=room.now() - KEPT_FOR)
    async with room.pool.acquire() as connection, connection.transaction():
        if await lock_noticed(connection) == place:
            last = records[-1]
            end = Position(after.log_id, last.seq, last.chain)
            await save_noticed(connection, end, fact_seq or place.fact_seq)
            await write_notices(connection, await addressed(connection, told))
    return len(records)


async def _noticed_in(records: Sequence[Record], *, since: datetime) -> tuple[list[Noticed], int]:
    """Return what there is to tell, and the last fact that is answered.

    What is older than what is kept is not decoded.
    """
    told: list[Noticed] = []
    fact_seq = 0
    for number, record in enumerate(records, start=1):
        head = _HEAD.search(record.body[:HEAD_BYTES])
        fact_seq = fact_seq if head is None else int(head[1])
        if head is None or datetime.fromisoformat(head[2].decode()) >= since:
            told += noticed(decode_verdict(record.body))
        if number % DECODE_RECORDS_MAX == 0:
            await asyncio.sleep(0)
    return told, fact_seq
