"""Whatever is killed or paused, Kafka and PostgreSQL included: nothing is lost or comes twice.

`make chaos-kafka N=200 SEED=1` breaks something 200 times, in the order and with the sessions of
that seed.
"""

from collections.abc import AsyncIterator

import pytest

from services.projections.views import all_views
from tests.chaos.clients import a_crowd
from tests.chaos.rounds import announced, break_again_and_again, rounds_wanted, seed_wanted
from tests.chaos.site import a_place
from tests.chaos.survivor import NothingIsLost, Survivor
from tests.chaos_kafka.faults import planned
from tests.chaos_kafka.site import a_kafka_site
from tests.kafka.fixtures import a_broker

ROUNDS = rounds_wanted(40)
SEED = seed_wanted()
# All faults happen before the first test; on a busy machine a restart takes long.
pytestmark = [
    pytest.mark.timeout(300 + 30 * ROUNDS),
    # A consumer whose broker dies while it connects leaves its socket to the collector.
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),
]


@pytest.fixture(scope="module")
async def survivor() -> AsyncIterator[Survivor]:
    """Run all processes under load, break them again and again, and let the views catch up."""
    chances = announced(ROUNDS, SEED)
    with a_place() as place:
        async with (
            a_broker() as broker,
            a_kafka_site(place, broker) as site,
            a_crowd(site) as crowd,
        ):
            operator = await break_again_and_again(site, crowd, planned(ROUNDS, chances), chances)
            await site.settled()
            logs = await site.logs()
            print(site.ends())  # noqa: T201
            async with site.database() as pool:
                yield Survivor(site, crowd, operator, pool, logs)
            site.assert_alive()


class TestBrokenAgainAndAgain(NothingIsLost):
    async def rebuild_every_view_alike(self, survivor: Survivor) -> None:
        for view in all_views():
            rebuild = await survivor.place.run("views", "rebuild", view.name)
            told, _ = await rebuild.communicate()
            assert rebuild.returncode == 0, told.decode()
            assert "Every row is as it was before." in told.decode()
