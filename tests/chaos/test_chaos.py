"""Whatever is killed at whatever instant: nothing is lost, nothing comes twice, all numbers hold.

`make chaos N=200 SEED=1` kills 200 times, in the order and with the sessions of that seed.
"""

import asyncio
from collections.abc import AsyncIterator

import pytest

from services.projections.building.rebuild import rebuild_view
from services.projections.views import all_views
from shared.db.bell import Bell
from shared.log.postgres import PostgresVerdictLog
from tests.chaos.by_hand import read_logs
from tests.chaos.clients import a_crowd
from tests.chaos.faults import planned
from tests.chaos.rounds import announced, break_again_and_again, rounds_wanted, seed_wanted
from tests.chaos.site import a_place, a_site
from tests.chaos.survivor import NothingIsLost, Survivor

KILLS = rounds_wanted(30)
SEED = seed_wanted()
# All faults happen before the first test; on a busy machine a restart takes long.
pytestmark = pytest.mark.timeout(200 + 20 * KILLS)


@pytest.fixture(scope="module")
async def survivor() -> AsyncIterator[Survivor]:
    """Serve a folder under load, kill it again and again, and let the views catch up."""
    chances = announced(KILLS, SEED)
    with a_place() as place:
        async with a_site(place / "data") as site, a_crowd(site) as crowd:
            operator = await break_again_and_again(site, crowd, planned(KILLS, chances), chances)
            async with site.database() as pool:
                yield Survivor(site, crowd, operator, pool, await read_logs(pool))


class TestKilledAgainAndAgain(NothingIsLost):
    async def rebuild_every_view_alike(self, survivor: Survivor) -> None:
        log = PostgresVerdictLog(survivor.pool, Bell())
        rebuilt = await asyncio.gather(
            *(rebuild_view(view.name, pool=survivor.pool, log=log) for view in all_views())
        )
        for each in rebuilt:
            assert each.seq == len(survivor.logs.verdicts)
            assert each.old_digest is not None, each.view
            assert each.old_digest == each.new_digest, each.view
