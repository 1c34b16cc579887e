"""Two relays or two raters, started by mistake and kept running by supervisors: no war of restarts.

One works and the other one stands by, or leaves again at once; whoever works is left in peace.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import islice

from tests.chaos.accounts import assert_settled
from tests.chaos.claims import errands
from tests.chaos.clients import Crowd, a_crowd
from tests.chaos.site import a_place
from tests.chaos_kafka.site import KafkaSite, a_kafka_site
from tests.chaos_kafka.supervisor import Supervised
from tests.kafka.broker import Broker
from tests.log.chances import seeded_chance
from tests.log.deadlines import until

ERRANDS = 40
VAIN_STARTS = 3
READ_EPOCH = "SELECT epoch FROM mahjic.rater"


async def test_a_displaced_rater_starts_in_vain_until_the_other_one_is_gone(
    own_broker: Broker,
) -> None:
    supply = errands(seeded_chance())
    async with a_site_and_crowd(own_broker) as (site, crowd):
        first = site.processes["rater"]
        working = asyncio.create_task(crowd.send_all(islice(supply, 2 * ERRANDS)))
        async with site.second("rater", is_killed=False) as second:
            await until(lambda: has_ended(first, 1))
            winner, epoch = second.pid, await read_epoch(site)
            await until(lambda: has_ended(first, 1 + VAIN_STARTS))
            await working
            await crowd.send_all(islice(supply, ERRANDS))
            await site.settled()
            assert (second.pid, second.ends) == (winner, [])
            assert await read_epoch(site) == epoch
        left, *vain_starts = first.ends
        # Kafka may tell it a moment before the database does.
        assert left.reason in {"writer_replaced", "log_writer_lost"}
        assert {(end.exit_code, end.reason) for end in vain_starts} == {(3, "rating_taken_over")}
        await crowd.send_all(islice(supply, ERRANDS))
        await site.settled()
        assert await read_epoch(site) == epoch + 1
        assert_settled(crowd.answers, await site.logs())


async def test_a_second_relay_stands_by_until_the_first_one_is_gone(own_broker: Broker) -> None:
    supply = errands(seeded_chance())
    async with a_site_and_crowd(own_broker) as (site, crowd):
        first = site.processes["relay"]
        working = asyncio.create_task(crowd.send_all(islice(supply, 2 * ERRANDS)))
        async with site.second("relay", is_killed=False) as second:
            await second.ready()
            await working
            assert first.ends == second.ends == []
            async with first.held_down():
                await crowd.send_all(islice(supply, ERRANDS))
                await site.settled()
            await first.ready()
            await crowd.send_all(islice(supply, ERRANDS))
            await site.settled()
            assert [end.exit_code for end in first.ends] == [0]
            assert second.ends == []
        await crowd.send_all(islice(supply, ERRANDS))
        await site.settled()
        assert_settled(crowd.answers, await site.logs())


@asynccontextmanager
async def a_site_and_crowd(broker: Broker) -> AsyncIterator[tuple[KafkaSite, Crowd]]:
    """Run all processes, and give clients of theirs."""
    with a_place() as place:
        async with a_kafka_site(place, broker) as site, a_crowd(site) as crowd:
            yield site, crowd


async def has_ended(process: Supervised, times: int) -> bool:
    return len(process.ends) >= times


async def read_epoch(site: KafkaSite) -> int:
    async with site.database() as pool:
        epoch: int = await pool.fetchval(READ_EPOCH)
        return epoch
