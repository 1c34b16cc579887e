"""Keeps the live builds of views up with the log of verdicts.

Two followers at once do no harm: one that finds a position has moved reads it again, and applies
nothing twice. A log whose history has changed stops the feed for good.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import asyncpg
import structlog

from shared.db.away import DATABASE_AWAY
from shared.events.decoded import DecodedVerdicts
from shared.feed.advancing import BATCH_RECORDS_MAX, Overtaken, advance
from shared.feed.views import Build, View, read_build
from shared.log.port import Log, LogAway

# No bell rings for changes of people, so a feed with nothing to do looks this often.
IDLE_WAIT_S: Final = 0.25
# While batches are not full, the next one begins no sooner than this after the one before. A batch
# of three costs PostgreSQL nearly as much as one of thirty, at the expense of submissions; the
# first verdict after a silence is still shown at once.
GATHER_S: Final = 0.2
RETRY_S_MIN: Final = 0.05
RETRY_S_MAX: Final = 2.0

READ_LIVE: Final = """
SELECT b.schema_name, b.view, b.version, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq,
    b.correcting_part, b.correcting_parts
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
ORDER BY b.schema_name
"""

_log = structlog.get_logger(__name__)


class Feed:
    """Keeps the live builds of the given views up with the log."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        log: Log,
        views: Sequence[View],
        *,
        records_max: int = BATCH_RECORDS_MAX,
        gather_s: float = GATHER_S,
        decoded: DecodedVerdicts | None = None,
    ) -> None:
        self._pool = pool
        self._log = log
        self._views = {view.name: view for view in views}
        self._records_max = records_max
        self._gather_s = gather_s
        self._decoded = decoded or DecodedVerdicts()
        self._seq = 0
        self._fact_seq = 0
        self._is_full = False

    @property
    def seq(self) -> int:
        """The last record that every live view has applied."""
        return self._seq

    @property
    def fact_seq(self) -> int:
        """The last fact whose verdict every live view has applied."""
        return self._fact_seq

    async def run(self, *, tell: Callable[[int], None] = lambda _: None) -> None:
        """Follow the log until canceled, and pass `fact_seq` to `tell` once it is known.

        Raises LogGap, HistorySplit, UnknownEventType or UnreadableRecord when it can't go on.
        """
        retry_s = RETRY_S_MIN
        loop = asyncio.get_running_loop()
        while True:
            next_s = loop.time() + self._gather_s
            try:
                is_moving = await self.step()
            except (LogAway, *DATABASE_AWAY) as error:
                _log.warning("views_wait", error=type(error).__name__)
                await asyncio.sleep(retry_s)
                retry_s = min(2 * retry_s, RETRY_S_MAX)
                continue
            retry_s = RETRY_S_MIN
            if self._fact_seq:
                tell(self._fact_seq)
            if is_moving:
                await asyncio.sleep(0.0 if self._is_full else max(0.0, next_s - loop.time()))
            else:
                await self._log.wait_beyond(self._seq, IDLE_WAIT_S)

    async def step(self) -> bool:
        """Apply one batch, and return whether there may be more."""
        if not (builds := await read_live(self._pool, self._views)):
            return False
        self._note(builds)
        try:
            done = await advance(
                self._pool,
                self._log,
                builds,
                self._views,
                records_max=self._records_max,
                decoded=self._decoded,
            )
        except Overtaken:
            return True
        self._note(done.builds)
        self._is_full = len(done.entries) >= self._records_max
        return bool(done.entries or done.people_count)

    def _note(self, builds: Sequence[Build]) -> None:
        self._seq = min(build.position.seq for build in builds)
        self._fact_seq = min(build.fact_seq for build in builds)


async def read_live(pool: asyncpg.Pool, views: Mapping[str, View]) -> list[Build]:
    """Return the live builds of the given views that have the version of this program."""
    builds = [read_build(row) for row in await pool.fetch(READ_LIVE)]
    ours = {(view.name, view.version) for view in views.values()}
    return [build for build in builds if (build.view, build.version) in ours]
