"""Fills new builds of one or more views from a single stream of verdicts, and checks their rows."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final

import asyncpg

from services.projections.building.builds import (
    create_build,
    holding_still,
    remove_build,
    settle_tables,
)
from services.projections.common.tables import AttestedView
from services.projections.common.totals import ControlTotals
from shared.feed.advancing import advance_apart, read_entries
from shared.feed.views import Build, LoggedVerdict
from shared.log.port import Log, Position

# Followers of the old build wait while the new one takes its last steps. Parts of a long verdict
# take a hundred times as long as sessions, so a number of records alone says little.
LAST_STEPS_S_MAX: Final = 2.0
# No one waits for a build that is not read yet, and a player who moves twice is written once.
RECORDS_MAX: Final = 2000
BYTES_MAX: Final = 2 * 1024 * 1024

# How far the builds are, and how far the changes of people are.
READ_MOMENT: Final = """
SELECT b.schema_name, b.view, b.version, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq,
    b.correcting_part, b.correcting_parts,
    (SELECT COALESCE(max(seq), 0) FROM mahjic.people_changes) AS people_seq_now
FROM mahjic.view_builds AS b WHERE b.schema_name = ANY($1::text[])
"""

# Called after every batch: the views' names, the records taken in, and the records to take in.
Progress = Callable[[str, int, int], None]


class FreshBuilds:
    """New builds that no one reads yet. All of them are at the same place on the log."""

    def __init__(
        self,
        views: Sequence[AttestedView],
        pool: asyncpg.Pool,
        log: Log,
        progress: Progress | None,
    ) -> None:
        assert views
        self._views = {view.name: view for view in views}
        self._pool = pool
        self._log = log
        self._progress = progress
        self._totals = ControlTotals()
        self._builds: list[Build] = []

    @property
    def builds(self) -> Sequence[Build]:
        """The builds as they are now, in the order of the views."""
        return self._builds

    @property
    def seq(self) -> int:
        """The last record that was taken in."""
        return self._builds[0].position.seq

    async def create(self) -> None:
        beginning = await self._log.beginning()
        for view in self._views.values():
            self._builds.append(await create_build(self._pool, view, beginning))

    async def catch_up(self, goal: Callable[[], Awaitable[int]]) -> None:
        """Get so close to a goal, which may move, that the last steps take no time."""
        now = asyncio.get_running_loop().time
        is_near = False
        while not is_near:
            seq, began = await goal(), now()
            is_close = seq - self.seq <= RECORDS_MAX
            await self.advance_to(seq)
            is_near = is_close and now() - began <= LAST_STEPS_S_MAX

    async def advance_to(self, seq: int) -> None:
        """Take in everything up to a record, and all changes of people."""
        reading = asyncio.create_task(self._read(self._builds[0].position, seq))
        try:
            while True:
                entries = await reading
                # While these are being written, the next ones are read and decoded.
                reading = asyncio.create_task(self._read(_end_of(entries, self._builds[0]), seq))
                done = await advance_apart(self._pool, self._builds, self._views, entries)
                if not entries and not done.people_count:
                    return
                self._builds = list(done.builds)
                self._totals.take_in(each.verdict for each in entries)
                if self._progress is not None:
                    self._progress(", ".join(self._views), self.seq, seq)
        finally:
            reading.cancel()
            await asyncio.wait([reading])

    async def _read(self, after: Position, seq: int) -> list[LoggedVerdict]:
        records_max = min(RECORDS_MAX, seq - after.seq)
        return await read_entries(self._log, after, records_max, BYTES_MAX)

    async def prove(self) -> None:
        """Check the rows against the control totals. Raises ControlTotalsDiffer."""
        for build in self._builds:
            await settle_tables(self._pool, build.schema)
            view = self._views[build.view]
            async with self._pool.acquire() as connection:
                attested = await view.attest(connection, build.schema)
            self._totals.check(view.name, attested)

    async def remove(self) -> None:
        for build in self._builds:
            await remove_build(self._pool, build.schema)


def _end_of(entries: Sequence[LoggedVerdict], build: Build) -> Position:
    """Return the position after a batch, or the build's own if the batch is empty."""
    if not entries:
        return build.position
    last = entries[-1].record
    return Position(build.position.log_id, last.seq, last.chain)


@contextlib.asynccontextmanager
async def both_at_one_moment(
    live: Build, fresh: FreshBuilds, pool: asyncpg.Pool
) -> AsyncIterator[tuple[asyncpg.pool.PoolConnectionProxy, Sequence[asyncpg.Record]]]:
    """Yield a transaction that sees a live build and the first new one as of one moment.

    The rows say how far each of them was then. The live build goes on in the meantime.
    """
    async with (
        pool.acquire() as connection,
        connection.transaction(isolation="repeatable_read", readonly=True),
    ):
        async with holding_still(pool, live) as (_, held):
            await fresh.advance_to(held.position.seq)
            # The first statement fixes the moment that this transaction sees.
            schemas = [live.schema, fresh.builds[0].schema]
            moment = await connection.fetch(READ_MOMENT, schemas)
        yield connection, moment


def is_proof(moment: Sequence[asyncpg.Record]) -> bool:
    """Return whether a difference is real: neither build had changes of people yet to take in."""
    return all(row["people_seq"] == row["people_seq_now"] for row in moment)
