"""Reads topics as any other program can: with a plain consumer, and nothing of the service."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Literal

from aiokafka import AIOKafkaConsumer, ConsumerRecord, TopicPartition

from tests.chaos.by_hand import Line, line_of
from tests.log.deadlines import deadline

FETCH_MS = 200


async def read_topic(servers: str, topic: str) -> list[Line]:
    """Return every record of a topic that is there for good, in the order of their offsets.

    A consumer may be given one twice, but each offset holds one.
    """
    place = TopicPartition(topic, 0)
    found: dict[int, Line] = {}
    async with deadline(), a_consumer(servers) as consumer:
        consumer.assign([place])
        await consumer.seek_to_beginning(place)
        end = (await consumer.end_offsets([place]))[place]
        while await consumer.position(place) < end:
            messages = await consumer.getmany(place, timeout_ms=FETCH_MS)
            for message in messages.get(place, ()):
                if message.offset in found:
                    print(f"{topic}: offset {message.offset} was given twice.")  # noqa: T201
                found[message.offset] = _line(message)
    return [found[offset] for offset in sorted(found)]


def once(lines: Sequence[Line]) -> list[Line]:
    """Drop what is there already, which must be the same; the rest must go on without a gap."""
    kept: list[Line] = []
    for line in lines:
        if line.seq <= len(kept):
            assert line == kept[line.seq - 1], f"Record {line.seq} came again, and is different."
        else:
            assert line.seq == len(kept) + 1, f"Record {line.seq} follows record {len(kept)}."
            kept.append(line)
    return kept


async def is_in_transaction(servers: str, topic: str) -> bool:
    """Tell whether a topic ends within a transaction that is open."""
    place = TopicPartition(topic, 0)
    async with a_consumer(servers) as sober, a_consumer(servers, "read_uncommitted") as eager:
        for_good = (await sober.end_offsets([place]))[place]
        written = (await eager.end_offsets([place]))[place]
    return bool(for_good < written)


@asynccontextmanager
async def a_consumer(
    servers: str, isolation: Literal["read_committed", "read_uncommitted"] = "read_committed"
) -> AsyncIterator[AIOKafkaConsumer]:
    """Give a consumer that belongs to no group."""
    consumer = AIOKafkaConsumer(
        bootstrap_servers=servers, isolation_level=isolation, enable_auto_commit=False
    )
    try:
        await consumer.start()
        yield consumer
    finally:
        await consumer.stop()


def _line(message: ConsumerRecord) -> Line:
    headers = dict(message.headers)
    assert message.key is None
    assert headers["content-type"] == b"application/cloudevents+json; charset=utf-8"
    return line_of(int(headers["seq"]), bytes.fromhex(headers["chain"].decode()), message.value)
