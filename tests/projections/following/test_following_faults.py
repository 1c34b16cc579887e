"""What a follower of the verdicts does when its topic is spoiled, or its broker goes away."""

import asyncio
import contextlib
import io

import pytest

from shared.http.logs import configure_logs
from shared.log.port import HistorySplit, LogGap
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.log.deadlines import DEADLINE_S, until
from tests.projections.following.followed import FollowedSeason, a_followed_season, is_acknowledged

# Longer than any test: what comes in time was delivered.
NEVER_S = 10 * DEADLINE_S
SOON_S = 0.2
# Before a supervisor loses its patience.
STOP_S_MAX = 10.0


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


# What must not be on the topic.


async def test_a_delivery_that_is_lost_in_silence_is_found(followed: FollowedSeason) -> None:
    """FastStream skips a delivery with a header that is no UTF-8; the record itself is lawful."""
    async with followed.working(look_s=SOON_S) as worker:
        await worker.until_it_shows(await followed.grow(1))
        records = await followed.verdicts(5)
        await followed.send(records, ("added-by-others", b"\xff\xfe"))
        await worker.until_it_shows(records[-1].seq)
        await worker.until_it_shows(await followed.grow(5))


@pytest.mark.parametrize("is_last", [True, False])
@pytest.mark.parametrize(
    "header", [("seq", b"\xff\xfe"), ("seq", b"many"), ("chain", b"00"), ("chain", b"\xff")]
)
async def test_a_record_that_is_none_of_ours_stops_the_worker(
    followed: FollowedSeason, header: tuple[str, bytes], is_last: bool
) -> None:
    async with followed.working(look_s=SOON_S) as worker:
        last = await followed.grow(5)
        await worker.until_it_shows(last)
        spoiled, *rest = await followed.verdicts(3)
        await followed.send([spoiled], header)
        if not is_last:
            await followed.send(rest)
        with pytest.raises(HistorySplit):
            await worker.until_it_shows(last + 1)
    assert await followed.seen() == list(range(1, last + 1))


async def test_a_verdict_that_is_missing_stops_the_worker(followed: FollowedSeason) -> None:
    async with followed.working(look_s=NEVER_S) as worker:
        last = await followed.grow(5)
        await worker.until_it_shows(last)
        await followed.send((await followed.verdicts(3))[1:])
        with pytest.raises(LogGap):
            await worker.until_it_shows(last + 1)


async def test_views_of_another_history_stop_the_worker(followed: FollowedSeason) -> None:
    last = await followed.grow(5)
    async with followed.working(look_s=NEVER_S) as worker:
        await worker.until_it_shows(last)
    await followed.season.pool.execute("UPDATE mahjic.view_builds SET chain = $1", bytes(32))
    async with followed.working(look_s=NEVER_S) as worker:
        with pytest.raises(HistorySplit):
            await worker.until_it_shows(last + 1)


# A broker that goes away.


async def test_a_worker_goes_on_after_its_broker_was_killed(
    database: Database, own_broker: Broker, kafka_prefix: str
) -> None:
    followed = await a_followed_season(database, own_broker, kafka_prefix)
    async with followed.working(look_s=SOON_S) as worker:
        await worker.until_it_shows(await followed.grow(20))
        await own_broker.kill()
        await own_broker.start()
        last = await followed.grow(20)
        await worker.until_it_shows(last)
        await until(lambda: is_acknowledged(followed, last))
    assert await followed.seen() == list(range(1, last + 1))


async def test_a_worker_that_starts_while_the_broker_is_away_waits_for_it(
    database: Database, own_broker: Broker, kafka_prefix: str
) -> None:
    followed = await a_followed_season(database, own_broker, kafka_prefix)
    await own_broker.stop()
    async with followed.working(look_s=SOON_S) as worker:
        await own_broker.start()
        last = await followed.grow(20)
        await worker.until_it_shows(last)
        await until(lambda: is_acknowledged(followed, last))


async def test_a_worker_ends_soon_although_its_broker_answers_nothing(
    database: Database, own_broker: Broker, kafka_prefix: str
) -> None:
    followed = await a_followed_season(database, own_broker, kafka_prefix)
    try:
        async with contextlib.AsyncExitStack() as running:
            worker = await running.enter_async_context(followed.working(look_s=SOON_S))
            await worker.until_it_shows(await followed.grow(5))
            await own_broker.pause()
            async with asyncio.timeout(STOP_S_MAX):
                await running.aclose()
    finally:
        await own_broker.resume()
