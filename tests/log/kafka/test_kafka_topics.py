"""Topics are created once, as they must be, and those that would lose records are refused."""

import pytest
from aiokafka.admin import NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.topics import (
    ClusterRefused,
    TopicUnsafe,
    check_topics,
    cluster_id,
    create_topics,
    safe_settings,
)
from shared.settings import Settings
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.log.on_kafka import a_cluster


@pytest.fixture
def cluster(kafka_broker: Broker, kafka_prefix: str) -> KafkaCluster:
    return a_cluster(kafka_broker.address, kafka_prefix)


async def until_checked(cluster: KafkaCluster) -> None:
    """Wait until the topics are what they must be; a broker takes a moment to know of them."""

    async def is_checked() -> bool:
        try:
            await check_topics(cluster)
        except TopicUnsafe:
            return False
        return True

    await until(is_checked)


async def test_topics_can_be_created_any_number_of_times(cluster: KafkaCluster) -> None:
    for _ in range(3):
        await create_topics(cluster)
    await until_checked(cluster)
    assert len(await cluster_id(cluster)) == 22


async def test_both_topics_keep_everything_in_one_partition(cluster: KafkaCluster) -> None:
    await create_topics(cluster)
    await until_checked(cluster)
    for topic in (cluster.facts_topic, cluster.verdicts_topic):
        async with cluster.admin() as admin:
            (described,) = await admin.describe_topics([topic])
            resource = ConfigResource(ConfigResourceType.TOPIC, topic)
            (answer,) = await admin.describe_configs([resource])
        assert len(described["partitions"]) == 1
        held = {entry[0]: entry[1] for entry in answer.resources[0][4]}
        assert held["retention.ms"] == held["retention.bytes"] == "-1"
        assert held["cleanup.policy"] == "delete"
        assert held["unclean.leader.election.enable"] == "false"
        assert int(held["max.message.bytes"]) == 16 * 1024 * 1024


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("retention.ms", "604800000", "retention.ms is 604800000, and must be -1"),
        ("retention.bytes", "1000000", "retention.bytes is 1000000, and must be -1"),
        ("cleanup.policy", "compact", "cleanup.policy is compact, and must be delete"),
        ("cleanup.policy", "compact,delete", "cleanup.policy is compact,delete, and must be"),
        ("unclean.leader.election.enable", "true", "election.enable is true, and must be false"),
        ("max.message.bytes", "1048588", "max.message.bytes is 1048588, and must be 16777216"),
        ("min.insync.replicas", "2", "min.insync.replicas is 2, so nothing can be written to 1"),
    ],
)
@pytest.mark.parametrize("log", ["facts", "verdicts"])
async def test_a_topic_that_would_lose_records_is_refused_by_name(
    cluster: KafkaCluster, setting: str, value: str, told: str, log: str
) -> None:
    topic = f"{cluster.prefix}.{log}"
    settings = {**safe_settings(1), setting: value}
    async with cluster.admin() as admin:
        await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=settings)])
    await create_topics(cluster)  # It leaves a topic alone that is there.
    await until_refused(cluster, told, f"The topic {topic} would lose records")


async def until_refused(cluster: KafkaCluster, *told: str) -> None:
    async def is_refused() -> bool:
        with pytest.raises(TopicUnsafe) as refused:
            await check_topics(cluster)
        if "does not exist" in refused.value.detail:
            return False  # Not yet known to the broker.
        assert all(words in refused.value.detail for words in told)
        assert refused.value.exit_code == 2
        return True

    await until(is_refused)


async def test_a_stricter_topic_is_taken(cluster: KafkaCluster) -> None:
    settings = {**safe_settings(1), "max.message.bytes": str(32 << 20)}
    async with cluster.admin() as admin:
        await admin.create_topics([NewTopic(cluster.facts_topic, 1, 1, topic_configs=settings)])
    await create_topics(cluster)
    await until_checked(cluster)


async def test_a_topic_of_two_partitions_is_refused(cluster: KafkaCluster) -> None:
    settings = safe_settings(1)
    async with cluster.admin() as admin:
        await admin.create_topics([NewTopic(cluster.facts_topic, 2, 1, topic_configs=settings)])
    await create_topics(cluster)
    await until_refused(cluster, f"The topic {cluster.facts_topic} has 2 partitions")


async def test_a_missing_topic_is_refused(cluster: KafkaCluster) -> None:
    with pytest.raises(TopicUnsafe, match=r"The topic .*\.facts does not exist. Run `mahjic kafka"):
        await check_topics(cluster)


async def test_fewer_copies_than_were_asked_for_are_refused(
    kafka_broker: Broker, cluster: KafkaCluster
) -> None:
    three = KafkaCluster(Settings(kafka_servers=kafka_broker.address, kafka_prefix=cluster.prefix))
    with pytest.raises(ClusterRefused, match="could not be created with 3 copies") as refused:
        await create_topics(three)
    assert refused.value.exit_code == 2
    await create_topics(cluster)
    await until_refused(three, "has 1 copies, and MAHJIC_KAFKA_REPLICATION asks for 3")


@pytest.mark.parametrize(("copies", "least"), [(1, "1"), (2, "2"), (3, "2"), (4, "3"), (5, "3")])
def test_a_record_is_there_for_good_once_most_copies_have_it(copies: int, least: str) -> None:
    assert safe_settings(copies)["min.insync.replicas"] == least
