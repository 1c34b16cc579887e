"""What the relay copies facts to: a list in memory that can fail, and a topic on a real Kafka."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Protocol

import pytest

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.logs import KafkaFactLog
from shared.log.kafka.records import record_of
from shared.log.kafka.topics import create_topics
from shared.log.memory import MemoryFactLog
from shared.log.port import FactCopy, Log, LogAway, LogWriterLost, Record, continued
from tests.kafka.broker import Broker
from tests.log.adapters import LOG_ID
from tests.log.on_kafka import a_cluster, messages_of

COPIES = ("memory_copy", "kafka_copy")


class Copy(Protocol):
    """A copy, and all that was ever sent to it."""

    @property
    def log(self) -> Log: ...

    def open(self) -> AbstractAsyncContextManager[FactCopy]: ...

    async def sent(self) -> list[Record]: ...


class MemoryCopy:
    """A copy in memory; records that come twice are there twice, as on a topic.

    `fails` is asked before each record is taken, and `is_away` before the copy is opened.
    """

    def __init__(
        self,
        fails: Callable[[], bool] = lambda: False,
        is_away: Callable[[], bool] = lambda: False,
    ) -> None:
        self.log = MemoryFactLog(LOG_ID)
        self._fails = fails
        self._is_away = is_away
        self._sent: list[Record] = []

    @asynccontextmanager
    async def open(self) -> AsyncIterator[FactCopy]:
        if self._is_away():
            raise LogAway("The copy is away.")
        yield self

    async def append(self, records: Sequence[Record]) -> None:
        for record in records:
            await asyncio.sleep(0)
            if self._fails():
                raise LogWriterLost("The copy does not say what became of it.")
            self._sent.append(record)
            # Read like a topic: what is there already is dropped, and a gap or a split is found.
            self.log._records += continued(await self.log.tail(), [record])
        if self._fails():
            raise LogWriterLost("All is there, and nobody was told.")

    async def sent(self) -> list[Record]:
        return self._sent


class KafkaCopy:
    """A topic on a real broker."""

    def __init__(self, cluster: KafkaCluster, log: KafkaFactLog) -> None:
        self.log = log
        self._cluster = cluster

    def open(self) -> FactCopier:
        return FactCopier(self._cluster)

    async def sent(self) -> list[Record]:
        messages = await messages_of(self._cluster, self._cluster.facts_topic)
        return [record_of(each) for each in messages]


@pytest.fixture
def memory_copy() -> MemoryCopy:
    return MemoryCopy()


@pytest.fixture
async def kafka_copy(kafka_broker: Broker, kafka_prefix: str) -> AsyncIterator[KafkaCopy]:
    cluster = a_cluster(kafka_broker.address, kafka_prefix)
    await create_topics(cluster)
    async with KafkaFactLog(cluster, LOG_ID) as log:
        yield KafkaCopy(cluster, log)


@pytest.fixture(params=COPIES)
def copy(request: pytest.FixtureRequest) -> Copy:
    chosen: Copy = request.getfixturevalue(request.param)
    return chosen
