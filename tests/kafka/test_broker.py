"""The broker of the tests is a real one: what they conclude from it stands on these."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaConnectionError

from tests.chaos.system import gone
from tests.kafka.broker import Broker, BrokerDied
from tests.kafka.fixtures import a_broker
from tests.kafka.java_node import JavaNode
from tests.log.deadlines import deadline

SILENCE_S = 0.5
PARTITION = 0
# Starts a node in the folder that it is given, says its process, and waits for its own end.
OWNER = """
import asyncio, pathlib, sys
from tests.kafka.broker import Broker

async def main():
    broker = Broker(pathlib.Path(sys.argv[1]))
    await broker.node.start(broker.cluster_id)
    print(broker.node.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


async def test_what_was_acknowledged_outlives_a_kill_of_the_broker(
    own_broker: Broker, kafka_prefix: str
) -> None:
    address, cluster_id = own_broker.address, await cluster_id_of(own_broker)
    await create_topic(own_broker, kafka_prefix)
    async with a_producer(own_broker) as producer:
        for number in range(100):
            await producer.send_and_wait(kafka_prefix, b"%d" % number, partition=PARTITION)
        await own_broker.kill()
    await own_broker.start()
    assert (own_broker.address, await cluster_id_of(own_broker)) == (address, cluster_id)
    assert await values_in(own_broker, kafka_prefix, 100) == [b"%d" % n for n in range(100)]


async def test_a_stopped_broker_starts_again_with_its_topics(
    own_broker: Broker, kafka_prefix: str
) -> None:
    await create_topic(own_broker, kafka_prefix)
    await own_broker.stop()
    assert not own_broker.node.is_running
    await own_broker.start()
    assert kafka_prefix in await topics_of(own_broker)


async def test_a_paused_broker_answers_nothing_until_it_is_resumed(
    own_broker: Broker, kafka_prefix: str
) -> None:
    await create_topic(own_broker, kafka_prefix)
    async with deadline(), a_producer(own_broker) as producer:
        await producer.send_and_wait(kafka_prefix, b"before", partition=PARTITION)
        await own_broker.pause()
        sent = await producer.send(kafka_prefix, b"meanwhile", partition=PARTITION)
        answered, _ = await asyncio.wait({sent}, timeout=SILENCE_S)
        assert not answered
        await own_broker.resume()
        await sent
    assert await values_in(own_broker, kafka_prefix, 2) == [b"before", b"meanwhile"]


async def test_two_brokers_know_nothing_of_each_other(
    kafka_broker: Broker, own_broker: Broker, kafka_prefix: str
) -> None:
    await create_topic(own_broker, kafka_prefix)
    assert kafka_prefix in await topics_of(own_broker)
    assert kafka_prefix not in await topics_of(kafka_broker)
    assert await cluster_id_of(own_broker) != await cluster_id_of(kafka_broker)


async def test_a_listener_with_a_password_lets_in_only_who_knows_it() -> None:
    login = "org.apache.kafka.common.security.plain.PlainLoginModule"
    properties = {
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.safe.plain.sasl.jaas.config": f'{login} required user_ada="right";',
    }
    async with a_broker(listeners={"SAFE": "SASL_PLAINTEXT"}, properties=properties) as broker:
        await sign_in(broker, "right")
        with pytest.raises(KafkaConnectionError):
            await sign_in(broker, "wrong")


async def test_a_broker_that_dies_at_its_start_says_why(
    kafka_broker: Broker, tmp_path: Path
) -> None:
    if not isinstance(kafka_broker.node, JavaNode):
        pytest.skip("The data of a container are out of reach.")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text("version=1\nnode.id=7\ncluster.id=else\n")
    with pytest.raises(BrokerDied, match="node id 7"):
        async with Broker(tmp_path):
            pass


async def test_a_broker_does_not_outlive_a_killed_owner(
    kafka_broker: Broker, tmp_path: Path
) -> None:
    if not isinstance(kafka_broker.node, JavaNode):
        pytest.skip("A container is removed by testcontainers.")
    owner = await asyncio.create_subprocess_exec(
        sys.executable, "-c", OWNER, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    assert owner.stdout is not None
    async with deadline():
        broker = psutil.Process(int(await owner.stdout.readline()))
        assert broker.is_running()
        owner.kill()
        await owner.communicate()
    await gone(broker)


@asynccontextmanager
async def a_producer(broker: Broker) -> AsyncIterator[AIOKafkaProducer]:
    producer = AIOKafkaProducer(
        bootstrap_servers=broker.address, acks="all", enable_idempotence=True
    )
    await producer.start()
    try:
        yield producer
    finally:
        await producer.stop()


@asynccontextmanager
async def an_admin(broker: Broker) -> AsyncIterator[AIOKafkaAdminClient]:
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.address)
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()


async def create_topic(broker: Broker, name: str) -> None:
    async with an_admin(broker) as admin:
        await admin.create_topics([NewTopic(name, 1, 1)])


async def topics_of(broker: Broker) -> list[str]:
    async with an_admin(broker) as admin:
        return list(await admin.list_topics())


async def cluster_id_of(broker: Broker) -> str:
    async with an_admin(broker) as admin:
        return str((await admin.describe_cluster())["cluster_id"])


async def values_in(broker: Broker, topic: str, count: int) -> list[bytes]:
    """Read a topic from its beginning until as many records have come."""
    consumer = AIOKafkaConsumer(bootstrap_servers=broker.address, auto_offset_reset="earliest")
    consumer.assign([TopicPartition(topic, PARTITION)])
    await consumer.start()
    try:
        async with deadline():
            return [(await consumer.getone()).value for _ in range(count)]
    finally:
        await consumer.stop()


async def sign_in(broker: Broker, password: str) -> None:
    """Connect to the listener that asks for a password."""
    admin = AIOKafkaAdminClient(
        bootstrap_servers=broker.address_of("SAFE"),
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism="PLAIN",
        sasl_plain_username="ada",
        sasl_plain_password=password,
    )
    try:
        await admin.start()
    finally:
        await admin.close()
