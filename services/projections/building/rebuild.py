"""Builds views next to the ones being read, compares them, and swaps them by one row.

Until the swap, the old build is not touched, so a rebuild that is killed leaves only a schema that
no one reads. The next builder removes it.
"""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import asyncpg

from services.projections.building.builds import (
    ViewBeingRebuilt,
    holding_still,
    live_build,
    point_readers,
    remove_dead_builds,
    sole_builder,
)
from services.projections.building.digest import TableDigest, view_digest
from services.projections.building.fresh import (
    FreshBuilds,
    Progress,
    both_at_one_moment,
    is_proof,
)
from services.projections.common.tables import AttestedView
from services.projections.views import all_views
from shared.errors import MahjicError
from shared.feed.views import Build, read_build
from shared.log.port import Log

# People may change while two builds are compared. That says nothing about the builds.
COMPARE_TRIES_MAX: Final = 5


class UnknownView(MahjicError):
    """There is no view with that name."""

    code = "unknown_view"
    title = "There is no view by that name"
    status = 404
    exit_code = 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two builds had the same rows at one moment, and the digests of their tables.

    `rows_equal` is None if people changed so often that there was no such moment.
    """

    rows_equal: bool | None
    old_digest: Mapping[str, TableDigest]
    new_digest: Mapping[str, TableDigest]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A view that is now read from a new build, which has taken in everything up to `seq`.

    The rest is None if there was no build of this version to compare with.
    """

    view: str
    version: int
    schema: str
    seq: int
    rows_equal: bool | None = None
    old_digest: Mapping[str, TableDigest] | None = None
    new_digest: Mapping[str, TableDigest] | None = None


async def rebuild_view(
    view_name: str, *, pool: asyncpg.Pool, log: Log, progress: Progress | None = None
) -> Rebuilt:
    """Build a view again from the first verdict on, swap, and report whether anything differed.

    It takes up to four connections from the pool. Raises UnknownView, ViewBeingRebuilt or
    ControlTotalsDiffer, and then the old build stays.
    """
    view = view_named(view_name)
    async with sole_builder(pool, [view.name], waits=False):
        await remove_dead_builds(pool, view.name)
        old = await live_build(pool, view.name)
        fresh = FreshBuilds([view], pool, log, progress)
        try:
            if old is None or old.version != view.version:
                (rebuilt,) = await _build_unread(fresh, pool, log)
            else:
                rebuilt = await _build_beside(old, fresh, pool)
        finally:
            # The old build after a swap, the new one after a failure.
            await remove_dead_builds(pool, view.name)
        return rebuilt


async def build_missing_views(
    views: Sequence[AttestedView], *, pool: asyncpg.Pool, log: Log, progress: Progress | None = None
) -> list[Rebuilt]:
    """Build every view that has no live build of this version, and clean up what is left over.

    Call it at each start. Until a view is ready, reads of it are answered with 503. The log is read
    once for all of them.
    """
    missing = await _missing(views, pool)
    for view in views:
        if view not in missing:
            with contextlib.suppress(ViewBeingRebuilt):
                async with sole_builder(pool, [view.name], waits=False):
                    await remove_dead_builds(pool, view.name)
    if not missing:
        return []
    async with sole_builder(pool, [view.name for view in missing], waits=True):
        missing = await _missing(missing, pool)  # Another process may have built them by now.
        for view in missing:
            await remove_dead_builds(pool, view.name)
        if not missing:
            return []
        try:
            return await _build_unread(FreshBuilds(missing, pool, log, progress), pool, log)
        finally:
            for view in missing:
                await remove_dead_builds(pool, view.name)


async def without_newer(views: Sequence[AttestedView], pool: asyncpg.Pool) -> list[AttestedView]:
    """Return the views, except those with a newer live version, which a newer program keeps."""
    lives = [await live_build(pool, view.name) for view in views]
    return [
        view
        for view, live in zip(views, lives, strict=True)
        if live is None or live.version <= view.version
    ]


async def _missing(views: Sequence[AttestedView], pool: asyncpg.Pool) -> list[AttestedView]:
    lives = [await live_build(pool, view.name) for view in views]
    return [
        view
        for view, live in zip(views, lives, strict=True)
        if live is None or live.version != view.version
    ]


async def _build_unread(fresh: FreshBuilds, pool: asyncpg.Pool, log: Log) -> list[Rebuilt]:
    """Build views up to the end of the log. No one reads or follows them until then."""

    async def end_of_log() -> int:
        return (await log.tail()).seq

    await fresh.create()
    await fresh.catch_up(end_of_log)
    await fresh.prove()
    for build in fresh.builds:
        old = await live_build(pool, build.view)
        async with pool.acquire() as connection, connection.transaction():
            await point_readers(connection, build, old)
    return [_rebuilt(build) for build in fresh.builds]


async def _build_beside(old: Build, fresh: FreshBuilds, pool: asyncpg.Pool) -> Rebuilt:
    """Build a view next to a build that is being read and followed, and never overtake it."""

    async def place_of_old() -> int:
        live = await live_build(pool, old.view)
        assert live is not None
        return live.position.seq

    await fresh.create()
    await fresh.catch_up(place_of_old)
    await fresh.prove()
    for _ in range(COMPARE_TRIES_MAX):
        comparison = await _compare(old, fresh, pool)
        if comparison.rows_equal is not None:
            break
    await fresh.catch_up(place_of_old)
    async with holding_still(pool, old) as (connection, held):
        await fresh.advance_to(held.position.seq)
        await point_readers(connection, fresh.builds[0], old)
    return replace(
        _rebuilt(fresh.builds[0]),
        rows_equal=comparison.rows_equal,
        old_digest=comparison.old_digest,
        new_digest=comparison.new_digest,
    )


async def _compare(old: Build, fresh: FreshBuilds, pool: asyncpg.Pool) -> Comparison:
    """Compare both builds as of one moment, while the old one goes on."""
    async with both_at_one_moment(old, fresh, pool) as (connection, moment):
        assert len({read_build(row).position for row in moment}) == 1
        old_digest = await view_digest(connection, old.schema)
        new_digest = await view_digest(connection, fresh.builds[0].schema)
    if old_digest == new_digest:
        return Comparison(True, old_digest, new_digest)
    return Comparison(False if is_proof(moment) else None, old_digest, new_digest)


def _rebuilt(build: Build) -> Rebuilt:
    return Rebuilt(build.view, build.version, build.schema, build.position.seq)


def view_named(name: str) -> AttestedView:
    """Return the view with that name. Raises UnknownView."""
    views = {view.name: view for view in all_views()}
    if name not in views:
        raise UnknownView(f"There is no view {name!r}. The views are {', '.join(views)}.")
    return views[name]
