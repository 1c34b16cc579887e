"""A season whose verdicts stand on a Kafka topic, and workers that follow them into views."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

from services.projections.building.rebuild import build_missing_views
from services.projections.following import follow_views, group_of, verdicts_broker
from shared.feed.feed import Feed
from shared.log.delivered import DeliveredLog
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.kafka.records import headers_of
from shared.log.kafka.topics import create_topics
from shared.log.port import Log, Position, Record
from tests.conftest import Database
from tests.feed.tally import Tally
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import a_cluster
from tests.projections.season import LOG_ID, Season, mj


class CountedLog:
    """A log that counts how many of its records were read from it, and not from a delivery."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.records = 0
        self.beginning, self.tail, self.last = log.beginning, log.tail, log.last
        self.at, self.wait_beyond = log.at, log.wait_beyond

    async def read(self, after: Position, records_max: int) -> list[Record]:
        records = await self._log.read(after, records_max)
        self.records += len(records)
        return records


@dataclass
class Worker:
    """One process of projections."""

    feed: Feed
    log: CountedLog
    task: asyncio.Task[None]

    async def until_it_shows(self, seq: int) -> None:
        """Wait until the views have taken in a verdict; fail with what stopped the worker."""

        async def is_shown() -> bool:
            if self.task.done():
                self.task.result()
            return self.feed.seq >= seq

        await until(is_shown)


async def a_followed_season(database: Database, broker: Broker, prefix: str) -> "FollowedSeason":
    """Return a season whose first verdict stands on its topic and in its view."""
    cluster = a_cluster(broker.address, prefix)
    await create_topics(cluster)
    followed = FollowedSeason(await Season(database.pool).open(), cluster)
    await followed.build()
    await followed.send(await followed.verdicts(0))
    return followed


@dataclass
class FollowedSeason:
    """A season, its topic of verdicts, and a view that breaks on a verdict that comes twice."""

    season: Season
    cluster: KafkaCluster
    tally: Tally = field(default_factory=Tally)
    _sent: int = 0

    @property
    def group_id(self) -> str:
        """The group of those who follow the view."""
        return group_of(self.cluster.prefix, [self.tally.name])

    async def build(self) -> None:
        """Build the view as it is before the worker starts."""
        await build_missing_views([self.tally], pool=self.season.pool, log=self.season.log)

    async def verdicts(self, count: int) -> list[Record]:
        """Let as many verdicts be reached, on the season's log alone."""
        for number in range(count):
            await self.season.verify(mj(number))
        fresh: list[Record] = self.season.log._records[self._sent :]
        self._sent += len(fresh)
        return fresh

    async def send(self, records: Sequence[Record], *more: tuple[str, bytes]) -> None:
        """Put records on the topic as they are."""
        producer = self.cluster.producer()
        await producer.start()
        try:
            for record in records:
                headers = [*headers_of(record), *more]
                await producer.send(
                    self.cluster.verdicts_topic, record.body, headers=headers, partition=0
                )
            await producer.flush()
        finally:
            await producer.stop()

    async def grow(self, count: int) -> int:
        """Reach and send verdicts; return the seq of the last."""
        records = await self.verdicts(count)
        await self.send(records)
        return records[-1].seq

    async def seen(self) -> list[int]:
        """Return the verdicts that the view has taken in."""
        schema = await self.season.pool.fetchval(
            "SELECT live_schema FROM mahjic.views WHERE name = $1", self.tally.name
        )
        rows = await self.season.pool.fetch(f"SELECT seq FROM {schema}.seen ORDER BY seq")
        return [row["seq"] for row in rows]

    @contextlib.asynccontextmanager
    async def working(
        self, *, look_s: float, middlewares: Sequence[Any] = ()
    ) -> AsyncIterator[Worker]:
        """Run a worker."""
        async with KafkaVerdictLog(self.cluster, LOG_ID, self.season.pool) as log:
            counted = CountedLog(log)
            delivered = DeliveredLog(counted, look_s=look_s)
            feed = Feed(self.season.pool, delivered, [self.tally])
            broker = verdicts_broker(
                self.cluster,
                delivered,
                group_id=self.group_id,
                middlewares=middlewares,
            )
            task = asyncio.create_task(follow_views(feed, broker))
            try:
                yield Worker(feed, counted, task)
            finally:
                task.cancel()
                await asyncio.wait([task])


@contextlib.asynccontextmanager
async def transaction(
    followed: FollowedSeason,
) -> AsyncIterator[Callable[[Sequence[Record]], Awaitable[None]]]:
    """Send records in a transaction, which is taken back when the block fails."""
    producer = followed.cluster.producer({"transactional_id": followed.cluster.writer_id})

    async def send(records: Sequence[Record]) -> None:
        for record in records:
            await producer.send_and_wait(
                followed.cluster.verdicts_topic,
                record.body,
                headers=headers_of(record),
                partition=0,
            )

    await producer.start()
    try:
        async with producer.transaction():
            yield send
    finally:
        await producer.stop()


async def committed(followed: FollowedSeason) -> int:
    """Return the offset that the group has acknowledged up to; 0 for none."""
    place = TopicPartition(followed.cluster.verdicts_topic, 0)
    consumer = AIOKafkaConsumer(
        **followed.cluster.connection, group_id=followed.group_id, enable_auto_commit=False
    )
    await consumer.start()
    try:
        return await consumer.committed(place) or 0
    finally:
        await consumer.stop()


async def acknowledge(followed: FollowedSeason, offset: int) -> None:
    """Say for the group, which has no members now, that everything before an offset is done."""
    place = TopicPartition(followed.cluster.verdicts_topic, 0)
    consumer = AIOKafkaConsumer(
        **followed.cluster.connection, group_id=followed.group_id, enable_auto_commit=False
    )
    await consumer.start()
    try:
        consumer.assign([place])
        await consumer.commit({place: offset})
    finally:
        await consumer.stop()


async def is_acknowledged(followed: FollowedSeason, offset: int) -> bool:
    return await committed(followed) >= offset
