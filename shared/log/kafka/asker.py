"""Asks where a topic begins and ends, without waiting for other reads of it.

A broker answers one question after the other on a connection, and takes half a second to say that
there is nothing to read. So these questions have a connection of their own.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import TopicAuthorizationFailedError

from shared.log.kafka.cluster import REQUEST_S_MAX, KafkaCluster, stop_consumer
from shared.log.kafka.errors import refused, told_as_away
from shared.log.port import LogAway

T = TypeVar("T")


class Asker:
    """A connection for asking where one topic ends."""

    def __init__(self, consumer: AIOKafkaConsumer, topic: str) -> None:
        self._consumer = consumer
        self._place = TopicPartition(topic, 0)
        self._questions: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(cls, cluster: KafkaCluster, topic: str) -> "Asker":
        """Connect to the cluster. Raises LogAway and KafkaRefused, as every question does."""
        consumer = cluster.consumer()
        asker = cls(consumer, topic)
        try:
            await cluster.start(consumer)
        except BaseException:
            await stop_consumer(consumer)
            raise
        # It must know the topic, but read nothing from it.
        consumer.assign([asker._place])
        consumer.seek(asker._place, 0)
        consumer.pause(asker._place)
        return asker

    async def close(self) -> None:
        """Leave the cluster; questions still open raise LogAway."""
        # On a closed client they would connect again.
        for question in self._questions:
            question.cancel()
        await stop_consumer(self._consumer)

    async def first_offset(self) -> int:
        offsets = await self._answered(self._consumer.beginning_offsets([self._place]))
        return int(offsets[self._place])

    async def end_offset(self) -> int:
        """Return the last stable offset: everything before it is durable and complete."""
        offsets = await self._answered(self._consumer.end_offsets([self._place]))
        return int(offsets[self._place])

    async def _answered(self, question: Coroutine[Any, Any, T]) -> T:
        """Return the answer to a question. Raises LogAway when it does not come in time."""
        asking = asyncio.create_task(question)
        self._questions.add(asking)
        try:
            await asyncio.wait([asking], timeout=REQUEST_S_MAX)
            if not asking.done() or asking.cancelled():
                self._check_rights()
                raise LogAway(f"The topic {self._place.topic} does not answer.")
            with told_as_away():
                return asking.result()
        finally:
            self._questions.discard(asking)
            asking.cancel()

    def _check_rights(self) -> None:
        """Raise KafkaRefused if we may not even see the topic: the client would ask forever."""
        topic = self._place.topic
        if topic in self._consumer._client.cluster.unauthorized_topics:  # noqa: SLF001
            raise refused(TopicAuthorizationFailedError(topic))
