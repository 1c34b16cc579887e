"""Copies facts to their topic: in order, durably, perhaps twice, never with a hole."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Final, Self

from aiokafka import AIOKafkaProducer

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.errors import KAFKA_AWAY, refusal_in, refused
from shared.log.kafka.producer import stop_producer
from shared.log.kafka.records import check_size, headers_of
from shared.log.port import LogWriterLost, Record

# The sends of an idempotent producer never time out by themselves while the cluster is away.
SEND_S_MAX: Final = 30.0


class FactCopier:
    """An idempotent producer of facts, to be used as a context manager.

    Starting raises LogAway and KafkaRefused.
    """

    def __init__(self, cluster: KafkaCluster) -> None:
        self._cluster = cluster
        self._producer: AIOKafkaProducer | None = None

    async def __aenter__(self) -> Self:
        producer = self._cluster.producer()
        try:
            await self._cluster.start(producer)
        except BaseException:
            await stop_producer(producer)
            raise
        self._producer = producer
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._producer is not None
        await stop_producer(self._producer)

    async def append(self, records: Sequence[Record]) -> None:
        """Send records in order; they are durable when this returns.

        Raises LogWriterLost after any error: some of them may be there, and this copier must send
        nothing more. The next one goes on from the end of the topic. Raises RecordTooLarge and
        KafkaRefused.
        """
        assert self._producer is not None
        check_size(records)
        try:
            async with asyncio.timeout(SEND_S_MAX):
                sent = [
                    await self._producer.send(
                        self._cluster.facts_topic,
                        record.body,
                        partition=0,
                        headers=headers_of(record),
                    )
                    for record in records
                ]
                await asyncio.gather(*sent)
        except KAFKA_AWAY as error:
            if (refusal := refusal_in(error)) is not None:
                raise refused(refusal) from error
            raise LogWriterLost(
                f"Facts could not be sent to the topic {self._cluster.facts_topic} "
                f"({type(error).__name__}). Start the relay again: it continues from the end of "
                "the topic."
            ) from error
