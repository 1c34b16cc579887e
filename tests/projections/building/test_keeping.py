"""Where a view is, and whether it is kept, is told without those who keep it."""

import asyncio
from functools import partial

from services.projections.building.keeping import Kept, look_at_kept, show_keeping, tell_kept
from services.projections.history.project import HistoryView
from tests.feed.tally import Tally
from tests.log.deadlines import until
from tests.projections.conftest import World

MOVE_ON = "UPDATE mahjic.view_builds SET fact_seq = $1 WHERE view = 'history'"
RAISE_VERSION = "UPDATE mahjic.view_builds SET version = version + 1 WHERE view = 'history'"

HISTORY = Tally("history")
UNBUILT = Tally("unbuilt")


async def test_a_view_that_was_never_built_is_at_nought(world: World) -> None:
    await world.pool.execute(MOVE_ON, 7)
    assert await look_at_kept(world.pool, [HISTORY, UNBUILT]) == [
        Kept("history", 7, is_kept=False),
        Kept("unbuilt", 0, is_kept=False),
    ]


async def test_a_view_is_kept_by_those_who_name_it_in_the_version_that_is_read(
    world: World,
) -> None:
    newer = Tally("history", version=HistoryView.version + 1)
    keeping = asyncio.create_task(show_keeping(world.pool, [newer]))

    async def is_kept() -> bool:
        history, unbuilt = await look_at_kept(world.pool, [HISTORY, UNBUILT])
        assert not unbuilt.is_kept
        return bool(history.is_kept)

    other = asyncio.create_task(show_keeping(world.pool, [UNBUILT]))
    await until(lambda: _is_kept(world, UNBUILT))
    other.cancel()
    await asyncio.wait([other])
    assert not await is_kept()
    await world.pool.execute(RAISE_VERSION)
    await until(is_kept)
    keeping.cancel()
    await asyncio.wait([keeping])
    assert not await is_kept()


async def test_it_is_told_again_and_again(world: World) -> None:
    told: list[Kept] = []
    telling = asyncio.create_task(tell_kept(world.pool, [HISTORY], told.append, look_s=0.001))

    async def comes_to(fact_seq: int) -> bool:
        return bool(told) and told[-1].fact_seq == fact_seq

    for fact_seq in (7, 8):
        await world.pool.execute(MOVE_ON, fact_seq)
        await until(partial(comes_to, fact_seq))
    telling.cancel()
    await asyncio.wait([telling])


async def _is_kept(world: World, view: Tally) -> bool:
    return bool((await look_at_kept(world.pool, [view]))[0].is_kept)
