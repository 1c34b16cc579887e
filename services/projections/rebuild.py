"""Builds a view beside the one that is read, proves it, and swaps by one row.

Until the swap nothing of the old build is touched, so a rebuild that is killed leaves only a schema
that nobody reads; the next builder removes it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.projections.builds import (
    create_build,
    holding_still,
    live_build,
    point_readers,
    remove_build,
    remove_dead_builds,
    settle_tables,
    sole_builder,
)
from services.projections.digest import TableDigest, view_digest
from services.projections.tables import AttestedView
from services.projections.totals import ControlTotals
from services.projections.views import all_views
from shared.errors import MahjicError
from shared.feed import BATCH_RECORDS_MAX, Build, advance, read_build
from shared.log.port import Log

# People may change while two builds are compared, which says nothing about the builds.
COMPARE_TRIES_MAX: Final = 5

READ_MOMENT: Final = """
SELECT b.schema_name, b.view, b.version, b.log_id, b.seq, b.chain, b.fact_seq, b.people_seq,
    (SELECT COALESCE(max(seq), 0) FROM mahjic.people_changes) AS people_seq_now
FROM mahjic.view_builds AS b WHERE b.schema_name = ANY($1::text[])
"""

# Told after every batch: the view's name, the records taken in, and the records on the log.
Progress = Callable[[str, int, int], None]


class UnknownView(MahjicError):
    """There is no view of that name."""

    code = "unknown_view"
    title = "There is no view of that name"
    status = 404
    exit_code = 2


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild found: how far it came, and the digests of the old rows and the new ones.

    `rows_equal` is None when there was no build of this version to compare with, and when people
    changed so often that the two never stood for the same moment.
    """

    view: str
    version: int
    schema: str
    seq: int
    rows_equal: bool | None
    old_digest: Mapping[str, TableDigest] | None
    new_digest: Mapping[str, TableDigest] | None


async def rebuild_view(
    view_name: str, *, pool: asyncpg.Pool, log: Log, progress: Progress | None = None
) -> Rebuilt:
    """Build a view again from the first verdict on, swap, and tell whether anything differed.

    It takes up to four connections of the pool. Raises UnknownView, ViewBeingRebuilt or
    ControlTotalsDiffer; the old build then stays.
    """
    view = _view_named(view_name)
    async with sole_builder(pool, view.name, waits=False):
        await remove_dead_builds(pool, view.name)
        return await _Rebuild(view, pool, log, progress).run()


async def build_missing_views(
    views: Sequence[AttestedView], *, pool: asyncpg.Pool, log: Log, progress: Progress | None = None
) -> list[Rebuilt]:
    """Build every view that has no live build of this version, and clear away what was left over.

    To be called at each start. Until a view is ready, reads of it are answered with 503.
    """
    built = []
    for view in views:
        async with sole_builder(pool, view.name, waits=True):
            await remove_dead_builds(pool, view.name)
            live = await live_build(pool, view.name)
            if live is None or live.version != view.version:
                built.append(await _Rebuild(view, pool, log, progress).run())
    return built


class _Rebuild:
    """One rebuild, from the empty tables to the removal of the old ones."""

    def __init__(
        self, view: AttestedView, pool: asyncpg.Pool, log: Log, progress: Progress | None
    ) -> None:
        self._view = view
        self._pool = pool
        self._log = log
        self._progress = progress
        self._totals = ControlTotals()
        self._new: Build

    async def run(self) -> Rebuilt:
        """Build, prove, compare, swap and remove; what was half built goes when any of it fails."""
        old = await live_build(self._pool, self._view.name)
        self._new = await create_build(self._pool, self._view, await self._log.beginning())
        try:
            rebuilt = await self._build_and_swap(old)
        except Exception:
            # Not by name: when only the answer to the swap was lost, the new build is the live one.
            await remove_dead_builds(self._pool, self._view.name)
            raise
        if old is not None:
            await remove_build(self._pool, old.schema)
        return rebuilt

    async def _build_and_swap(self, old: Build | None) -> Rebuilt:
        # A build of another version is followed by nobody here, so there is no pace to keep to.
        peer = old if old is not None and old.version == self._view.version else None
        await self._catch_up(peer)
        await settle_tables(self._pool, self._new.schema)
        async with self._pool.acquire() as connection:
            attested = await self._view.attest(connection, self._new.schema)
        self._totals.check(self._view.name, attested)
        if peer is None:
            async with self._pool.acquire() as swapping, swapping.transaction():
                await point_readers(swapping, self._new, old)
            return self._rebuilt(None, None, None)
        for _ in range(COMPARE_TRIES_MAX):
            rows_equal, old_digest, new_digest = await self._compare(peer)
            if rows_equal is not None:
                break
        await self._catch_up(peer)
        async with holding_still(self._pool, peer) as (holding, held):
            await self._advance_to(held.position.seq)
            await point_readers(holding, self._new, peer)
        return self._rebuilt(rows_equal, old_digest, new_digest)

    async def _catch_up(self, peer: Build | None) -> None:
        """Come within one batch of the build that readers see, or else of the end of the log."""
        is_near = False
        while not is_near:
            goal = await self._goal(peer)
            is_near = goal - self._new.position.seq <= BATCH_RECORDS_MAX
            await self._advance_to(goal)

    async def _goal(self, peer: Build | None) -> int:
        if peer is None:
            return (await self._log.tail()).seq
        live = await live_build(self._pool, peer.view)
        assert live is not None
        return live.position.seq

    async def _advance_to(self, seq: int) -> None:
        """Take in everything up to a record, and all that has become of people."""
        views = {self._view.name: self._view}
        while True:
            done = await advance(self._pool, self._log, [self._new], views, seq_max=seq)
            if not done.entries and not done.people_count:
                return
            (self._new,) = done.builds
            self._totals.take_in(done.entries)
            if self._progress is not None:
                self._progress(self._view.name, self._new.position.seq, seq)

    async def _compare(
        self, old: Build
    ) -> tuple[bool | None, Mapping[str, TableDigest], Mapping[str, TableDigest]]:
        """Compare both builds as they were at one moment, while the old one goes on."""
        async with (
            self._pool.acquire() as connection,
            connection.transaction(isolation="repeatable_read", readonly=True),
        ):
            async with holding_still(self._pool, old) as (_, held):
                await self._advance_to(held.position.seq)
                # The first statement fixes the moment that this transaction sees.
                moment = await connection.fetch(READ_MOMENT, [old.schema, self._new.schema])
            assert len({read_build(row).position for row in moment}) == 1
            old_digest = await view_digest(connection, old.schema)
            new_digest = await view_digest(connection, self._new.schema)
        if old_digest == new_digest:
            return True, old_digest, new_digest
        # A difference is one only if neither build had a change of people still before it.
        is_proof = all(row["people_seq"] == row["people_seq_now"] for row in moment)
        return False if is_proof else None, old_digest, new_digest

    def _rebuilt(
        self,
        rows_equal: bool | None,
        old_digest: Mapping[str, TableDigest] | None,
        new_digest: Mapping[str, TableDigest] | None,
    ) -> Rebuilt:
        return Rebuilt(
            view=self._view.name,
            version=self._view.version,
            schema=self._new.schema,
            seq=self._new.position.seq,
            rows_equal=rows_equal,
            old_digest=old_digest,
            new_digest=new_digest,
        )


def _view_named(name: str) -> AttestedView:
    views = {view.name: view for view in all_views()}
    if name not in views:
        raise UnknownView(f"There is no view {name!r}. The views are {', '.join(views)}.")
    return views[name]
