"""The faults of a site on Kafka: each breaks something at once, and supervisors bring it back."""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable, Iterator
from itertools import islice

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import CommitFailedError

from services.projections.views import all_views
from shared.db.away import DATABASE_AWAY
from shared.db.pool import DatabaseUnreachable
from tests.chaos.clients import Crowd
from tests.chaos.faults import (
    a_process_of_postgres_is_killed,
    a_process_of_postgres_is_paused,
    postgres_is_killed,
    postgres_is_paused,
    shuffled,
    the_clients_hang_up,
)
from tests.chaos.system import children_of, kill
from tests.chaos_kafka.site import PAUSE_S_MAX, PREFIX, KafkaSite
from tests.chaos_kafka.topics import a_consumer, is_in_transaction
from tests.log.deadlines import until

PAUSE_S_MIN = 0.1
# How long two of a kind live beside each other.
BOTH_LIVE_S_MAX = 2.0
# Under load every second look finds the rater in a transaction.
LOOKS_MAX = 20
COMMIT_S_MAX = 5.0
REBUILD_S_MAX = 5.0
CUT_ALL = """
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE application_name LIKE $1 AND pid <> pg_backend_pid()
"""

Fault = Callable[[KafkaSite, Crowd, random.Random], Awaitable[None]]


async def a_process_is_killed(site: KafkaSite, _crowd: Crowd, chances: random.Random) -> None:
    site.processes[chances.choice(list(site.processes))].kill()


async def the_relay_is_killed(site: KafkaSite, _crowd: Crowd, _chances: random.Random) -> None:
    site.processes["relay"].kill()


async def the_rater_is_killed(site: KafkaSite, _crowd: Crowd, _chances: random.Random) -> None:
    site.processes["rater"].kill()


async def the_rater_is_killed_right_after_its_commit(
    site: KafkaSite, _crowd: Crowd, _chances: random.Random
) -> None:
    place = TopicPartition(site.verdicts_topic, 0)
    async with a_consumer(site.broker.address) as consumer:
        consumer.assign([place])
        await consumer.seek_to_end(place)
        await consumer.getmany(place, timeout_ms=int(COMMIT_S_MAX * 1000))
        site.processes["rater"].kill()


async def all_processes_are_killed(site: KafkaSite, _crowd: Crowd, _chances: random.Random) -> None:
    for process in site.processes.values():
        process.kill()


async def the_power_fails(site: KafkaSite, crowd: Crowd, chances: random.Random) -> None:
    postmaster = await site.living_postmaster()
    for process in (postmaster, *children_of(postmaster)):
        kill(process)
    await all_processes_are_killed(site, crowd, chances)
    crowd.hang_up()
    await the_broker_is_killed(site, crowd, chances)


async def the_broker_is_killed(site: KafkaSite, _crowd: Crowd, _chances: random.Random) -> None:
    await site.broker.kill()
    await site.broker.start()


async def the_broker_is_restarted(site: KafkaSite, _crowd: Crowd, _chances: random.Random) -> None:
    await site.broker.stop()
    await site.broker.start()


async def the_broker_is_paused(site: KafkaSite, _crowd: Crowd, chances: random.Random) -> None:
    await site.broker.pause()
    await asyncio.sleep(_a_pause_s(chances))
    await site.broker.resume()


async def a_process_is_paused(site: KafkaSite, _crowd: Crowd, chances: random.Random) -> None:
    with site.processes[chances.choice(list(site.processes))].paused():
        await asyncio.sleep(_a_pause_s(chances))


async def connections_to_postgres_are_cut(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    await _cut_connections(site, chances.choice(["%", *_commands(site)]))


async def a_second_relay_runs_for_a_while(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    await _both_live(site, "relay", chances)


async def a_second_rater_runs_for_a_while(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    await _both_live(site, "rater", chances)


async def a_second_rater_starts_while_one_stands_still_in_a_transaction(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    async with contextlib.AsyncExitStack() as running:
        with await _paused_in_transaction(site):
            is_killed = chances.random() < 0.5
            second = await running.enter_async_context(site.second("rater", is_killed=is_killed))
            if chances.random() < 0.5:
                await _cut_connections(site, "rater")
            await second.has_said("rater_started")
            await asyncio.sleep(chances.uniform(0, BOTH_LIVE_S_MAX))
        await asyncio.sleep(chances.uniform(0, BOTH_LIVE_S_MAX))


async def a_second_relay_works_while_one_stands_still_and_then_goes_on(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    relay = site.processes["relay"]
    async with site.second("relay", is_killed=chances.random() < 0.5) as second:
        await second.ready()
        with relay.paused():
            await _cut_connections(site, "relay")
            await second.has_said("relay_started")
            await asyncio.sleep(chances.uniform(0, BOTH_LIVE_S_MAX))
        await asyncio.sleep(chances.uniform(0, BOTH_LIVE_S_MAX))


async def where_deliveries_begin_is_forged(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    place = TopicPartition(site.verdicts_topic, 0)
    async with site.processes["projections"].held_down():
        consumer = AIOKafkaConsumer(
            bootstrap_servers=site.broker.address,
            group_id=f"{PREFIX}.projections",
            enable_auto_commit=False,
        )
        try:
            await consumer.start()
            consumer.assign([place])
            end = (await consumer.end_offsets([place]))[place]
            forged = chances.choice([0, chances.randint(0, end), end, 2 * end])
            await until(lambda: _is_committed(consumer, {place: forged}))
        finally:
            await consumer.stop()


async def a_rebuild_is_killed_midway(
    site: KafkaSite, _crowd: Crowd, chances: random.Random
) -> None:
    rebuild = await site.run("views", "rebuild", chances.choice([v.name for v in all_views()]))
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(rebuild.wait(), chances.uniform(1, REBUILD_S_MAX))
    if rebuild.returncode is None:
        rebuild.kill()
    await rebuild.communicate()


FAULTS: tuple[Fault, ...] = (
    *(a_process_is_killed,) * 5,
    the_relay_is_killed,
    the_rater_is_killed,
    *(the_rater_is_killed_right_after_its_commit,) * 2,
    all_processes_are_killed,
    the_power_fails,
    *(the_broker_is_killed,) * 2,
    the_broker_is_restarted,
    *(the_broker_is_paused,) * 2,
    *(a_process_is_paused,) * 4,
    postgres_is_killed,
    a_process_of_postgres_is_killed,
    postgres_is_paused,
    a_process_of_postgres_is_paused,
    connections_to_postgres_are_cut,
    *(the_clients_hang_up,) * 2,
    a_second_relay_runs_for_a_while,
    a_second_rater_runs_for_a_while,
    *(a_second_rater_starts_while_one_stands_still_in_a_transaction,) * 2,
    *(a_second_relay_works_while_one_stands_still_and_then_goes_on,) * 2,
    where_deliveries_begin_is_forged,
    a_rebuild_is_killed_midway,
)


def planned(rounds: int, chances: random.Random) -> Iterator[Fault]:
    """Yield so many faults, each kind in its share and in any order."""
    return islice(shuffled(FAULTS, chances), rounds)


async def _is_committed(consumer: AIOKafkaConsumer, offsets: dict[TopicPartition, int]) -> bool:
    """Commit for a group, and tell whether it was taken: not before its dead are out of it."""
    with contextlib.suppress(CommitFailedError):
        await consumer.commit(offsets)
        return True
    return False


async def _both_live(site: KafkaSite, command: str, chances: random.Random) -> None:
    async with site.second(command, is_killed=chances.random() < 0.5) as second:
        if chances.random() < 0.7:
            await second.ready()
        await asyncio.sleep(chances.uniform(0, BOTH_LIVE_S_MAX))


async def _paused_in_transaction(site: KafkaSite) -> contextlib.ExitStack:
    """Pause the rater, within a transaction if that can be met, until the context ends."""
    for _ in range(LOOKS_MAX):
        with contextlib.ExitStack() as pausing:
            pausing.enter_context(site.processes["rater"].paused())
            if await is_in_transaction(site.broker.address, site.verdicts_topic):
                return pausing.pop_all()
    return contextlib.ExitStack()


async def _cut_connections(site: KafkaSite, command: str) -> None:
    """Cut the connections of a command, or of all (%), once the database is there."""

    async def are_cut() -> bool:
        with contextlib.suppress(DatabaseUnreachable, *DATABASE_AWAY):
            async with site.database() as pool:
                await pool.fetchval(CUT_ALL, f"mahjic {command}")
                return True
        return False

    await until(are_cut)


def _commands(site: KafkaSite) -> list[str]:
    return sorted({process.command for process in site.processes.values()})


def _a_pause_s(chances: random.Random) -> float:
    return chances.uniform(PAUSE_S_MIN, PAUSE_S_MAX)
