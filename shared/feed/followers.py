"""Follows the verdicts for those who keep no view, and only do something about what is recent.

What they write and how far they came change in one transaction. Two at once do no harm: one that
finds that the place has moved reads it again.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final, NoReturn

import asyncpg
import structlog

from shared.db.away import DATABASE_AWAY
from shared.db.retrying import before_retry
from shared.errors import MahjicError
from shared.events.codec import Verdict, decode_verdict
from shared.feed.advancing import DECODE_RECORDS_MAX
from shared.log.port import HistorySplit, LogAway, Position, Record

# What comes before the data of a verdict.
HEAD_BYTES: Final = 1000
_HEAD: Final = re.compile(rb'"id":"([0-9]+)\.[0-9]+".*?"time":"([0-9T:.Z-]+)"')
# After what only an operator can put right.
STAND_STILL_S: Final = 60.0
RETRY_S: Final = 1.0

_log = structlog.get_logger(__name__)


def position_in(row: asyncpg.Record) -> Position | None:
    """Return the position in a row with log_id, seq and chain; None before the first record."""
    return None if row["seq"] is None else Position(row["log_id"], row["seq"], row["chain"])


async def recent_verdicts(
    records: Sequence[Record], *, since: datetime
) -> tuple[list[Verdict], int]:
    """Return the verdicts on facts since then, and the last fact that any of the records answers.

    What is older is not decoded. The fact is 0 if no record says which it answers.
    """
    verdicts, fact_seq = list[Verdict](), 0
    for number, record in enumerate(records, start=1):
        head = _HEAD.search(record.body[:HEAD_BYTES])
        fact_seq = fact_seq if head is None else int(head[1])
        if head is None or datetime.fromisoformat(head[2].decode()) >= since:
            verdicts.append(decode_verdict(record.body))
        if number % DECODE_RECORDS_MAX == 0:
            await asyncio.sleep(0)
    return verdicts, fact_seq


async def follow_forever(
    name: str, look: Callable[[], Awaitable[None]], begin_again: Callable[[], Awaitable[None]]
) -> NoReturn:
    """Look again and again, and wait after what may be over in a while.

    What is wrong with a log or the database never ends this: sessions are taken in all the same.
    """
    while True:
        try:
            await look()
        except (LogAway, *DATABASE_AWAY) as error:
            _log.warning(f"{name}_wait", error=type(error).__name__)
            await before_retry(RETRY_S)
        except HistorySplit as error:
            # Other verdicts were written in place of those that we know. Nobody is told anything
            # twice, so looking at all of them again does no harm.
            _log.warning(f"{name}_begin_again", detail=error.detail)
            await begin_again()
            await asyncio.sleep(STAND_STILL_S)
        except MahjicError as error:
            _log.error(f"{name}_stand_still", code=error.code, detail=error.detail)
            await asyncio.sleep(STAND_STILL_S)
