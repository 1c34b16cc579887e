"""Workers bring the verdicts that Kafka delivers into the views, each once."""

import contextlib
import io
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from aiokafka import AIOKafkaConsumer
from faststream.kafka.security import parse_security

from services.projections.following import group_of, security_of
from services.projections.views import all_views
from shared.feed.views import Connection, VerdictBatch
from shared.http.logs import configure_logs
from shared.log.kafka.cluster import KafkaCluster
from shared.log.port import Record
from shared.settings import Settings
from tests.feed.tally import Tally
from tests.log.deadlines import DEADLINE_S, until
from tests.projections.following.followed import (
    FollowedSeason,
    acknowledge,
    committed,
    is_acknowledged,
    transaction,
)

# Longer than any test: what comes in time was delivered.
NEVER_S = 10 * DEADLINE_S
SOON_S = 0.2


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


# The way of a verdict.


async def test_verdicts_come_by_deliveries_alone(followed: FollowedSeason) -> None:
    async with followed.working(look_s=NEVER_S) as worker:
        await worker.until_it_shows(await followed.grow(30))
        read_before = worker.log.records
        last = await followed.grow(2500)
        await worker.until_it_shows(last)
        await until(lambda: is_acknowledged(followed, last))
    assert await followed.seen() == list(range(1, last + 1))
    assert worker.log.records == read_before


async def test_what_a_transaction_wrote_and_took_back_is_never_delivered(
    followed: FollowedSeason,
) -> None:
    first, second = await followed.verdicts(3), await followed.verdicts(3)
    async with followed.working(look_s=NEVER_S) as worker:
        async with transaction(followed) as send:
            await send(first)
        with contextlib.suppress(ZeroDivisionError):
            async with transaction(followed) as send:
                await send([Record(second[0].seq, bytes(32), b"never")])
                raise ZeroDivisionError
        async with transaction(followed) as send:
            await send(second)
        await worker.until_it_shows(second[-1].seq)
    assert await followed.seen() == list(range(1, second[-1].seq + 1))


async def test_nothing_is_acknowledged_that_the_views_have_not_taken_in(
    followed: FollowedSeason,
) -> None:
    async with followed.working(look_s=SOON_S) as worker:
        await worker.until_it_shows(await followed.grow(1))
        await until(lambda: is_acknowledged(followed, 2))
        async with followed.season.pool.acquire() as connection, connection.transaction():
            await connection.execute("SELECT FROM mahjic.view_builds FOR UPDATE")
            last = await followed.grow(20)
            await until(lambda: is_waiting_for_lock(followed))
            assert await committed(followed) == 2
        await worker.until_it_shows(last)
        await until(lambda: is_acknowledged(followed, last))


async def is_waiting_for_lock(followed: FollowedSeason) -> bool:
    return bool(
        await followed.season.pool.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND wait_event_type = 'Lock'"
        )
    )


async def test_a_view_that_fails_ends_the_worker_and_acknowledges_nothing(
    followed: FollowedSeason,
) -> None:
    class Broken(Tally):
        async def apply(self, connection: Connection, schema: str, batch: VerdictBatch) -> None:
            if any(entry.record.seq > 5 for entry in batch.entries):
                raise ZeroDivisionError
            await super().apply(connection, schema, batch)

    followed.tally = Broken()
    async with followed.working(look_s=SOON_S) as worker:
        await worker.until_it_shows(await followed.grow(3))
        await until(lambda: is_acknowledged(followed, 4))
        await followed.grow(20)
        with pytest.raises(ZeroDivisionError):
            await worker.until_it_shows(24)
    assert await committed(followed) == 4
    assert await followed.seen() == [1, 2, 3, 4]
    # The same verdicts come again, to a view that can take them.
    followed.tally = Tally()
    async with followed.working(look_s=NEVER_S) as worker:
        await worker.until_it_shows(24)


# Whatever the group's offset is, the views' own positions count.


async def test_a_group_that_acknowledged_more_than_the_views_have_leaves_nothing_out(
    followed: FollowedSeason,
) -> None:
    last = await followed.grow(40)
    await acknowledge(followed, 30)
    async with followed.working(look_s=NEVER_S) as worker:
        await worker.until_it_shows(last)
        last = await followed.grow(10)
        await worker.until_it_shows(last)
    assert await followed.seen() == list(range(1, last + 1))


async def test_a_group_that_acknowledged_less_than_the_views_have_brings_nothing_twice(
    followed: FollowedSeason,
) -> None:
    last = await followed.grow(40)
    async with followed.working(look_s=NEVER_S) as worker:
        await worker.until_it_shows(last)
    await acknowledge(followed, 3)
    async with followed.working(look_s=NEVER_S) as worker:
        last = await followed.grow(10)
        await worker.until_it_shows(last)
        await until(lambda: is_acknowledged(followed, last))
    assert await followed.seen() == list(range(1, last + 1))


# One works, the others stand by.


async def test_a_stand_by_takes_over_when_the_working_one_ends(followed: FollowedSeason) -> None:
    async with contextlib.AsyncExitStack() as first_one:
        first = await first_one.enter_async_context(followed.working(look_s=NEVER_S))
        await first.until_it_shows(await followed.grow(20))
        async with followed.working(look_s=NEVER_S) as second:
            for _ in range(5):
                last = await followed.grow(20)
                await first.until_it_shows(last)
                await second.until_it_shows(last)
            await first_one.aclose()
            last = await followed.grow(20)
            await second.until_it_shows(last)
            await until(lambda: is_acknowledged(followed, last))
    assert await followed.seen() == list(range(1, last + 1))


async def test_a_stand_by_brings_the_views_on_when_nobody_is_delivered_to(
    followed: FollowedSeason,
) -> None:
    """A frozen worker keeps the partition until its session ends; the views need not wait."""
    async with a_member_that_does_nothing(followed), followed.working(look_s=SOON_S) as worker:
        last = await followed.grow(20)
        await worker.until_it_shows(last)
        assert await committed(followed) == 0
    assert await followed.seen() == list(range(1, last + 1))


async def test_workers_of_different_views_do_not_wait_for_each_other(
    followed: FollowedSeason,
) -> None:
    other = replace(followed, tally=Tally("other"))
    await other.build()
    async with followed.working(look_s=NEVER_S) as first:
        last = await followed.grow(20)
        await first.until_it_shows(last)
        assert await other.seen() == [1]
        async with other.working(look_s=NEVER_S) as second:
            last = await followed.grow(20)
            await first.until_it_shows(last)
            await second.until_it_shows(last)
            await until(lambda: is_acknowledged(followed, last))
            await until(lambda: is_acknowledged(other, last))
    assert await followed.seen() == await other.seen() == list(range(1, last + 1))


@contextlib.asynccontextmanager
async def a_member_that_does_nothing(followed: FollowedSeason) -> AsyncIterator[None]:
    consumer = AIOKafkaConsumer(
        followed.cluster.verdicts_topic,
        **followed.cluster.connection,
        group_id=followed.group_id,
        enable_auto_commit=False,
    )
    await consumer.start()
    try:
        assert consumer.assignment()
        yield
    finally:
        await consumer.stop()


# Names and security.


def test_those_who_follow_the_same_views_are_one_group() -> None:
    names = [view.name for view in all_views()]
    assert group_of("mahjic", names) == group_of("mahjic", names[::-1]) == "mahjic.projections"
    assert group_of("club", ["sessions", "history"]) == "club.projections.history-sessions"


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
@pytest.mark.parametrize("protocol", ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"])
def test_faststream_connects_as_every_other_client_does(protocol: str, mechanism: str) -> None:
    user = {"kafka_user": "ada", "kafka_password": "secret"} if "SASL" in protocol else {}
    settings = Settings.model_validate(
        {
            "kafka_servers": "localhost:9092",
            "kafka_security": protocol,
            "kafka_sasl_mechanism": mechanism,
            **user,
        }
    )
    ours = KafkaCluster(settings).security
    theirs = parse_security(security_of(ours))
    assert {name: value for name, value in theirs.items() if value is not None} == ours
