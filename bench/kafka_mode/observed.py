"""Looks on from outside while sessions go through Kafka mode, and notes when each step shows.

A fact shows as committed when PostgreSQL has notified of it, on a topic when a consumer of ours has
it, in the views when a trigger of ours on their positions has notified. All times are those of
arrival here, by the clock that all processes of a machine share.
"""

import asyncio
import contextlib
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import AsyncIterator, Callable
from typing import Final

import asyncpg
from aiokafka import AIOKafkaConsumer, TopicPartition

from shared.log.kafka.cluster import KafkaCluster, stop_consumer
from shared.log.kafka.records import record_of
from shared.log.postgres import FACTS_CHANNEL

VIEWS_CHANNEL: Final = "bench_views"
SUBJECT: Final = re.compile(rb'"subject":"(ses_[0-9A-Z]{26})"')
ENVELOPE_BYTES: Final = 400
LOOK_S: Final = 0.02
SHOWN_S_MAX: Final = 600.0
MAKE_TRIGGER: Final = """
CREATE SCHEMA bench;
CREATE FUNCTION bench.tell_views() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('bench_views', min(b.seq)::text)
    FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema;
    RETURN NULL;
END $$;
CREATE TRIGGER bench_tell_views AFTER UPDATE ON mahjic.view_builds
FOR EACH STATEMENT EXECUTE FUNCTION bench.tell_views();
"""
READ_ENDS: Final = """
SELECT (SELECT fact_seq FROM mahjic.head) AS facts, min(b.seq) AS views
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
"""


class Arrivals:
    """How far one step had come at which time; of sessions on a log, also who stands where."""

    def __init__(self, seq: int) -> None:
        self._seqs = [seq]
        self._times = [0.0]
        self.seq_of: dict[str, int] = {}

    @property
    def seq(self) -> int:
        """How far it has come."""
        return self._seqs[-1]

    def note(self, seq: int) -> None:
        """Note that it has come so far now."""
        if seq > self._seqs[-1]:
            self._seqs.append(seq)
            self._times.append(time.monotonic())

    def time_of(self, seq: int) -> float:
        """Return when it had come so far."""
        return self._times[bisect_left(self._seqs, seq)]

    def lag_max(self, ahead: "Arrivals") -> int:
        """Return the most that it was behind another step."""
        return max(
            seq - self._seqs[bisect_right(self._times, at) - 1]
            for seq, at in zip(ahead._seqs, ahead._times, strict=True)  # noqa: SLF001 - our own.
        )


class Observed:
    """The four steps behind the answer, from where they stood when looking on began."""

    def __init__(self, seq: int) -> None:
        self.first = seq
        self.facts = Arrivals(seq)
        self.relayed = Arrivals(seq)
        self.verdicts = Arrivals(seq)
        self.views = Arrivals(seq)

    async def until_shown(self, count: int) -> None:
        """Return when so many new facts have come through to all views, and we know of it."""
        steps = (self.facts, self.relayed, self.verdicts, self.views)
        async with asyncio.timeout(SHOWN_S_MAX):
            while min(step.seq for step in steps) < self.first + count:
                await asyncio.sleep(LOOK_S)


async def make_trigger(dsn: str) -> None:
    """Have PostgreSQL tell whenever a view has moved."""
    async with _connection(dsn) as connection:
        await connection.execute(MAKE_TRIGGER)


@contextlib.asynccontextmanager
async def looking_on(dsn: str, cluster: KafkaCluster) -> AsyncIterator[Observed]:
    """Note every step while the context is open; it opens when all before is shown."""
    async with _connection(dsn) as connection, contextlib.AsyncExitStack() as stack:
        observed = Observed(await _shown_end(connection))
        for channel, arrivals in ((FACTS_CHANNEL, observed.facts), (VIEWS_CHANNEL, observed.views)):
            await connection.add_listener(channel, _noting(arrivals))
        for topic, arrivals in (
            (cluster.facts_topic, observed.relayed),
            (cluster.verdicts_topic, observed.verdicts),
        ):
            await stack.enter_async_context(_following(cluster, topic, arrivals))
        yield observed


async def _shown_end(connection: asyncpg.Connection) -> int:
    """Return the last fact, once all views show the verdict on it.

    Every fact of a bench gets one verdict, so that both logs count alike.
    """
    async with asyncio.timeout(SHOWN_S_MAX):
        while True:
            ends = await connection.fetchrow(READ_ENDS)
            assert ends is not None
            if ends["facts"] == ends["views"]:
                return int(ends["facts"])
            await asyncio.sleep(LOOK_S)


def _noting(arrivals: Arrivals) -> Callable[[object, int, str, object], None]:
    def heard(_connection: object, _pid: int, _channel: str, payload: object) -> None:
        arrivals.note(int(str(payload)))

    return heard


@contextlib.asynccontextmanager
async def _following(cluster: KafkaCluster, topic: str, arrivals: Arrivals) -> AsyncIterator[None]:
    consumer = cluster.consumer()
    await consumer.start()
    place = TopicPartition(topic, 0)
    consumer.assign([place])
    # Not seek_to_end, which seeks at the first fetch only: the end is that of now.
    consumer.seek(place, (await consumer.end_offsets([place]))[place])
    task = asyncio.create_task(_follow(consumer, arrivals))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        await stop_consumer(consumer)
        if not task.cancelled():
            task.result()


async def _follow(consumer: AIOKafkaConsumer, arrivals: Arrivals) -> None:
    while True:
        for messages in (await consumer.getmany(timeout_ms=1000)).values():
            for record in map(record_of, messages):
                arrivals.note(record.seq)
                subject = SUBJECT.search(record.body, 0, ENVELOPE_BYTES)
                if subject:
                    arrivals.seq_of[subject[1].decode()] = record.seq


@contextlib.asynccontextmanager
async def _connection(dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(dsn)
    try:
        yield connection
    finally:
        await connection.close()
