"""Lets readers who are ahead of a view wait a short time until it catches up.

One look at the places of all views serves everyone who is waiting in this process, so a thousand
waiting requests cost the database no more than one. The bell speeds this up where it can ring.
"""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import asyncpg

from shared.db.away import DATABASE_AWAY
from shared.db.bell import Bell
from shared.errors import InvalidParameter, MahjicError, ServiceUnavailable
from shared.feed.views import VIEWS_CHANNEL

# A view that is kept up to date shows a fact within a quarter of a second. Anyone who would wait
# longer than this is told when to ask again, so that few connections are held.
WAIT_S_MAX: Final = 2.0
RETRY_AFTER_S: Final = 1
# Between two looks where the bell does not ring. It can't on a standby server.
LOOK_S: Final = 0.05
# Each is a request that holds its client's connection and nothing else.
WAITERS_MAX: Final = 1000
# Views are at different places, so only the ringing itself matters, not its number.
NEXT_RING: Final = (1 << 63) - 1

# A fact that is not on the log will never be shown. Only a standby may not know of it yet.
READ_PLACES: Final = """
SELECT v.name, b.fact_seq, b.correcting_part IS NOT NULL AS is_correcting,
    head.fact_seq AS end_seq, pg_is_in_recovery() AS is_standby
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
LEFT JOIN mahjic.head AS head ON true
"""


class ViewBehind(MahjicError):
    """The view does not show the requested fact yet."""

    code = "view_behind"
    title = "What you asked for is not shown yet"
    status = 503

    def __init__(self, seq_min: int) -> None:
        super().__init__(
            f"Fact {seq_min} is not shown here yet. Ask again in {RETRY_AFTER_S} s.",
            extra={"min_seq": seq_min},
            headers={"Retry-After": str(RETRY_AFTER_S)},
        )


class BeyondLog(InvalidParameter):
    """The caller asks for a fact that is not on the log."""

    def __init__(self, seq_min: int, end_seq: int) -> None:
        message = (
            f"The log of facts ends at {end_seq}, and {seq_min} is not on it. Use the `seq` of "
            "an answer unchanged."
        )
        at = {"pointer": "/query/min_seq", "code": "out_of_range", "message": message}
        super().__init__([at])


@dataclass(eq=False, slots=True)
class _Waiting:
    views: Collection[str]
    seq_min: int
    is_first_part_enough: bool
    future: "asyncio.Future[None]"


class Arrivals:
    """The requests that wait for views to show a fact, and the one look that serves them all."""

    def __init__(self, pool: asyncpg.Pool, bell: Bell) -> None:
        self._pool = pool
        self._bell = bell
        self._waiting: set[_Waiting] = set()
        self._looking: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    async def until(
        self,
        views: Collection[str],
        seq_min: int,
        deadline_s: float,
        *,
        is_first_part_enough: bool = False,
    ) -> None:
        """Wait until all of these views show a fact, or until a time of the event loop.

        If its verdict comes in parts, they must show all parts, unless the first is enough.

        Raises ViewBehind, at once if too many are waiting already. Raises BeyondLog, at once if the
        log ends before that fact, unless this is a standby. Raises ServiceUnavailable.
        """
        if len(self._waiting) >= WAITERS_MAX:
            raise ViewBehind(seq_min)
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = _Waiting(views, seq_min, is_first_part_enough, future)
        self._waiting.add(waiting)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout_at(deadline_s):
                await waiting.future
        except TimeoutError:
            raise ViewBehind(seq_min) from None
        finally:
            self._waiting.discard(waiting)

    async def _look(self) -> None:
        """Look again and again, until no one is waiting."""
        try:
            while waiting := list(self._waiting):
                await self._look_for(waiting)
                if self._waiting:
                    await self._bell.wait_beyond(VIEWS_CHANNEL, NEXT_RING, LOOK_S)
        finally:
            self._looking = None

    async def _look_for(self, waiting: Collection[_Waiting]) -> None:
        """Tell those who were waiting before this look what it shows."""
        try:
            rows = await self._pool.fetch(READ_PLACES)
        except Exception as error:  # noqa: BLE001 - Those who wait raise it.
            away = isinstance(error, DATABASE_AWAY)
            for each in waiting:
                _fail(each, ServiceUnavailable() if away else error)
            return
        whole = {row["name"]: row["fact_seq"] for row in rows}
        begun = {row["name"]: row["fact_seq"] + row["is_correcting"] for row in rows}
        ends = [row["end_seq"] for row in rows if not row["is_standby"]]
        end_seq = ends[0] if ends else None
        for each in waiting:
            places = begun if each.is_first_part_enough else whole
            if all(places.get(view, 0) >= each.seq_min for view in each.views):
                _succeed(each)
            elif end_seq is not None and each.seq_min > end_seq:
                _fail(each, BeyondLog(each.seq_min, end_seq))


def _succeed(waiting: _Waiting) -> None:
    if not waiting.future.done():
        waiting.future.set_result(None)


def _fail(waiting: _Waiting, error: Exception) -> None:
    if not waiting.future.done():
        waiting.future.set_exception(error)
