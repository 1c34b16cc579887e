"""The logs on a real Kafka, and the harm that can be done to topics."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

import asyncpg
from aiokafka import AIOKafkaProducer, ConsumerRecord
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.cursor import Cursor
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.kafka.producer import stop_producer
from shared.log.kafka.records import headers_of
from shared.log.kafka.topics import create_topics, safe_settings
from shared.log.port import Log, Position, Record, chained
from shared.settings import Settings
from tests.log.deadlines import until


def a_cluster(address: str, prefix: str) -> KafkaCluster:
    """Return how to reach a broker of the tests, whose topics have one copy."""
    return KafkaCluster(Settings(kafka_servers=address, kafka_prefix=prefix, kafka_replication=1))


class AppendedFacts(KafkaFactLog):
    """The log of facts, to which the tests append as the relay does: by the copier."""

    def __init__(self, cluster: KafkaCluster, log_id: str, copier: FactCopier) -> None:
        super().__init__(cluster, log_id)
        self._copier = copier
        self._appending = asyncio.Lock()

    async def append(self, bodies: Sequence[bytes]) -> list[Record]:
        """Append records after the last one."""
        async with self._appending:
            records = chained(await self.tail(), bodies)
            await self._copier.append(records)
            return records


LogName = Literal["facts", "verdicts"]


@dataclass(frozen=True, slots=True)
class Sent:
    """What was sent to a topic."""

    body: bytes | None
    headers: Sequence[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class KafkaLogs:
    """Both logs on a cluster, new and empty, while they are followed."""

    cluster: KafkaCluster
    facts: AppendedFacts
    verdicts: KafkaVerdictLog
    harm: "KafkaHarm"


@asynccontextmanager
async def new_kafka_logs(
    cluster: KafkaCluster, log_id: str, pool: asyncpg.Pool
) -> AsyncIterator[KafkaLogs]:
    """Give both logs; the database holds the right to write verdicts."""
    await create_topics(cluster)
    async with (
        FactCopier(cluster) as copier,
        AppendedFacts(cluster, log_id, copier) as facts,
        KafkaVerdictLog(cluster, log_id, pool) as verdicts,
    ):
        harm = KafkaHarm(cluster, {"facts": facts, "verdicts": verdicts})
        yield KafkaLogs(cluster, facts, verdicts, harm)


class KafkaHarm:
    """Harm by somebody who writes a topic anew; whoever reads it starts again afterward."""

    def __init__(
        self, cluster: KafkaCluster, readers: Mapping[str, KafkaFactLog | KafkaVerdictLog]
    ) -> None:
        self._cluster = cluster
        self._readers = readers

    async def alter(self, log: LogName, seq: int, body: bytes) -> None:
        sent = await self._sent(log)
        sent[seq - 1] = replace(sent[seq - 1], body=body)
        await self._send_anew(log, sent)

    async def remove(self, log: LogName, seq: int) -> None:
        sent = await self._sent(log)
        del sent[seq - 1]
        await self._send_anew(log, sent)

    async def cut(self, log: LogName, after_seq: int) -> None:
        await self._send_anew(log, (await self._sent(log))[:after_seq])

    async def _sent(self, log: LogName) -> list[Sent]:
        messages = await messages_of(self._cluster, self._topic(log))
        return [Sent(message.value, message.headers) for message in messages]

    async def _send_anew(self, log: LogName, sent: Sequence[Sent]) -> None:
        topic, reader = self._topic(log), self._readers[log]
        await reader.__aexit__(None, None, None)
        async with self._cluster.admin() as admin:
            await admin.delete_topics([topic])
            await until(lambda: _is_created(admin, topic))
            await until(lambda: _is_there(admin, topic))
        producer = self._cluster.producer()
        await producer.start()
        for each in sent:
            await producer.send_and_wait(topic, each.body, partition=0, headers=list(each.headers))
        await producer.stop()
        await reader.__aenter__()

    def _topic(self, log: str) -> str:
        return f"{self._cluster.prefix}.{log}"


async def messages_of(cluster: KafkaCluster, topic: str) -> list[ConsumerRecord]:
    """Return all messages of a topic that are there for good, in the order of their offsets."""
    cursor = await Cursor.open(cluster, topic)
    try:
        end = await cursor.end_offset()
        cursor.go_to_offset(await cursor.first_offset())
        found: list[ConsumerRecord] = []
        while messages := await cursor._onward(1000, end):
            found += messages
        return found
    finally:
        await cursor.close()


async def _is_created(admin: AIOKafkaAdminClient, topic: str) -> bool:
    """Create a topic, and tell whether that was done; the one of before may still be going."""
    answer = await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=safe_settings(1))])
    return bool(answer.topic_errors[0][1] == 0)


async def _is_there(admin: AIOKafkaAdminClient, topic: str) -> bool:
    (described,) = await admin.describe_topics([topic])
    return described["error_code"] == 0 and len(described["partitions"]) == 1


def sent_of(records: Sequence[Record]) -> list[Sent]:
    """Return what a copier sends for records."""
    return [Sent(record.body, headers_of(record)) for record in records]


async def send_all(producer: AIOKafkaProducer, topic: str, sent: Sequence[Sent]) -> None:
    """Send messages as they are, and wait until they are on the topic."""
    waiting = [
        await producer.send(topic, each.body, key=b"", partition=0, headers=list(each.headers))
        for each in sent
    ]
    await asyncio.gather(*waiting)


@asynccontextmanager
async def a_producer(
    cluster: KafkaCluster, transactional_id: str | None = None
) -> AsyncIterator[AIOKafkaProducer]:
    """Give a producer that is nobody of ours, with a transactional id of its own or none."""
    role = {} if transactional_id is None else {"transactional_id": transactional_id}
    producer = cluster.producer(role)
    await producer.start()
    try:
        yield producer
    finally:
        await stop_producer(producer)


async def all_of(log: Log, page: int = 1000, after: Position | None = None) -> list[Record]:
    """Read a log from its beginning, or from a position, to its end."""
    position = after or await log.beginning()
    records: list[Record] = []
    while fresh := await log.read(position, page):
        records += fresh
        position = Position(position.log_id, fresh[-1].seq, fresh[-1].chain)
    return records


async def bodies_of(log: Log) -> list[bytes]:
    """Return the bodies on a log."""
    return [record.body for record in await all_of(log)]
