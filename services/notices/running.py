"""The part of a process that follows the verdicts, and writes down what sources are told.

What is wrong with a log or the database never stops the process that it runs in: sessions are taken
in whatever becomes of notices.
"""

import asyncio
from functools import partial
from typing import Final, NoReturn

import structlog
from prometheus_client import CollectorRegistry, Gauge

from services.notices.following import RECORDS_MAX, NoticeRoom, follow_notices
from services.notices.keeping import sweep_notices
from services.notices.place import notice_again, read_noticed
from shared.db.away import DATABASE_AWAY
from shared.db.retrying import before_retry
from shared.feed.followers import follow_forever
from shared.log.port import Log

# Between two looks while verdicts come: many of them are one transaction.
GATHER_S: Final = 0.2
LOOK_S: Final = 5.0
SWEEP_S: Final = 3600.0

_log = structlog.get_logger(__name__)


async def run_notices(room: NoticeRoom, log: Log, registry: CollectorRegistry) -> NoReturn:
    """Follow the verdicts and tell sources of them until canceled."""
    place = Gauge(
        "mahjic_notices_fact_seq",
        "The last fact whose verdict sources were told of.",
        registry=registry,
    )
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(_sweep(room))
        tasks.create_task(
            follow_forever(
                "notices",
                partial(_follow_once, room, log, place),
                partial(notice_again, room.pool),
            )
        )
    raise AssertionError("A part never ends by itself.")


async def _follow_once(room: NoticeRoom, log: Log, place: Gauge) -> None:
    count = await follow_notices(room, log)
    now = await read_noticed(room.pool)
    place.set(now.fact_seq)
    if not count:
        await log.wait_beyond(0 if now.position is None else now.position.seq, LOOK_S)
    elif count < RECORDS_MAX:
        await asyncio.sleep(GATHER_S)


async def _sweep(room: NoticeRoom) -> NoReturn:
    while True:
        try:
            await sweep_notices(room.pool, room.now())
        except DATABASE_AWAY as error:
            _log.warning("notices_not_swept", error=type(error).__name__)
        await before_retry(SWEEP_S)
