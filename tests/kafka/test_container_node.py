"""A broker in a container, tried where a Docker engine is; elsewhere it is said that it was not."""

from pathlib import Path

import pytest

from tests.kafka.broker import Broker
from tests.kafka.container_node import ContainerNode, docker_answers
from tests.kafka.test_broker import (
    PARTITION,
    a_producer,
    cluster_id_of,
    create_topic,
    values_in,
)

NO_ENGINE = "NOT TRIED: no Docker engine answers, so no broker ran in a container."


async def test_a_broker_in_a_container_keeps_what_it_acknowledged(
    tmp_path: Path, kafka_prefix: str
) -> None:
    if not docker_answers():
        pytest.skip(NO_ENGINE)
    async with Broker(tmp_path, in_container=True) as broker:
        assert isinstance(broker.node, ContainerNode)
        await create_topic(broker, kafka_prefix)
        cluster_id = await cluster_id_of(broker)
        for number, end in enumerate((broker.stop, broker.kill)):
            async with a_producer(broker) as producer:
                await producer.send_and_wait(kafka_prefix, b"%d" % number, partition=PARTITION)
            await end()
            assert not broker.node.is_running
            await broker.start()
        assert await values_in(broker, kafka_prefix, 2) == [b"0", b"1"]
        assert await cluster_id_of(broker) == cluster_id


@pytest.mark.starts_servers  # Something that is called docker.
@pytest.mark.parametrize(
    ("program", "answers"),
    [("exit 0", True), ("exit 1", False), (None, False)],
    ids=["an engine", "no engine", "no docker"],
)
def test_an_engine_is_there_when_docker_says_so(
    program: str | None, answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    if program is not None:
        docker = tmp_path / "docker"
        docker.write_text(f"#!/bin/sh\n{program}\n")
        docker.chmod(0o755)
    assert docker_answers() is answers
