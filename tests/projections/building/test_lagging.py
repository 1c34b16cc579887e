"""How far the views that people read are behind the record is told, again and again."""

import asyncio
import contextlib
from collections.abc import Sequence
from functools import partial

import pytest

from services.projections.building.lagging import tell_lag
from shared.feed.views import View
from tests.feed.tally import Tally
from tests.log.deadlines import until
from tests.projections.conftest import World

MOVE_TO = "UPDATE mahjic.view_builds SET fact_seq = $2 WHERE view = $1"
RECORD = """
INSERT INTO mahjic.head (log_id, fact_seq, fact_chain, people_seq)
VALUES ('log', $1, decode(repeat('00', 32), 'hex'), 0)
ON CONFLICT (is_only) DO UPDATE SET fact_seq = excluded.fact_seq
"""
HISTORY, PROFILES, UNBUILT = (Tally(name) for name in ("history", "profiles", "unbuilt"))


@pytest.mark.parametrize(
    ("views", "shown"),
    [
        ((HISTORY, PROFILES), 3),
        # The views of another program may stand still, and those that come have no place yet.
        ((HISTORY,), 7),
        ((HISTORY, UNBUILT), 7),
    ],
)
async def test_the_view_that_is_furthest_behind_counts(
    world: World, views: Sequence[View], shown: int
) -> None:
    for name, seq in (("history", 7), ("profiles", 3)):
        await world.pool.execute(MOVE_TO, name, seq)
    told: list[tuple[int, int, float]] = []

    def tell(*each: float) -> None:
        told.append((int(each[0]), int(each[1]), each[2]))

    async def is_told(shown_seq: int, end_seq: int) -> bool:
        return bool(told) and told[-1][:2] == (shown_seq, end_seq)

    task = asyncio.create_task(tell_lag(world.pool, views, tell, look_s=0.001))
    for end in (9, 10):
        await world.pool.execute(RECORD, end)
        await until(partial(is_told, shown, end))
    for view in (HISTORY, PROFILES):
        await world.pool.execute(MOVE_TO, view.name, 10)
    await until(partial(is_told, 10, 10))
    times_s = [each[2] for each in told]
    assert times_s == sorted(times_s)
    assert not task.done()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
