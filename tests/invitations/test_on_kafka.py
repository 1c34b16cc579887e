"""The follower on a real Kafka: it goes on where it was in the tables, and begins nothing twice."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from prometheus_client import CollectorRegistry

from services.invitations import running
from services.invitations.place import read_followed
from services.invitations.running import run_invitations
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.logs import KafkaVerdictLog
from shared.log.kafka.records import headers_of
from shared.log.kafka.topics import create_topics
from shared.log.port import Log, Record
from tests.invitations.test_following import HOUR, until_invited
from tests.invitations.town import Town
from tests.kafka.broker import Broker
from tests.log.on_kafka import a_cluster
from tests.service import LOG_ID

pytestmark = pytest.mark.starts_servers


async def send(cluster: KafkaCluster, records: Sequence[Record]) -> None:
    """Put verdicts on their topic, byte for byte."""
    producer = cluster.producer()
    await producer.start()
    try:
        for record in records:
            await producer.send_and_wait(
                cluster.verdicts_topic, record.body, headers=[*headers_of(record)], partition=0
            )
    finally:
        await producer.stop()


async def all_after(log: Log, seq: int) -> list[Record]:
    position = await log.at(seq)
    assert position is not None
    return await log.read(position, 10_000)


@asynccontextmanager
async def a_follower(town: Town, log: Log) -> AsyncIterator[None]:
    part = run_invitations(town.room, log, town.nights, CollectorRegistry())
    task = asyncio.create_task(part)
    try:
        yield
        assert not task.done(), "A part never ends by itself."
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_it_goes_on_from_the_tables_and_two_processes_write_each_letter_once(
    town: Town, kafka_broker: Broker, kafka_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "LOOK_S", 0.1)
    verdicts = town.service.service.logs.verdicts
    await town.night("ada", "bo")
    assert sorted(await town.invited()) == ["ada", "bo"]
    cluster = a_cluster(kafka_broker.address, kafka_prefix)
    await create_topics(cluster)
    moved = await all_after(verdicts, 0)
    await send(cluster, moved)
    async with (
        KafkaVerdictLog(cluster, LOG_ID, town.pool) as one,
        KafkaVerdictLog(cluster, LOG_ID, town.pool) as other,
        a_follower(town, one),
        a_follower(town, other),
    ):
        await town.night("ada", "cleo")
        await town.night("drew", "bo")
        town.clock.wind(HOUR)
        await send(cluster, await all_after(verdicts, moved[-1].seq))
        await until_invited(town, ["ada", "bo", "cleo", "drew"])
    place = await read_followed(town.pool)
    assert place.position == await verdicts.tail()
