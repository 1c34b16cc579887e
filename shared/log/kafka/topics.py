"""Creates the topics of the logs, and refuses those whose settings would lose records."""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import (
    LeaderNotAvailableError,
    TopicAlreadyExistsError,
    UnknownTopicOrPartitionError,
    for_code,
)

from shared.errors import MahjicError
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.records import RECORD_BYTES_MAX

NO_ERROR: Final = 0
# After a topic is created, it takes a moment until every broker knows it; seconds if busy.
KNOWN_S_MAX: Final = 20.0
KNOWN_LOOK_S: Final = 0.05
NOT_YET: Final = {UnknownTopicOrPartitionError, LeaderNotAvailableError}


class TopicUnsafe(MahjicError):
    """A topic is missing, or its settings would lose or refuse records."""

    code = "topic_unsafe"
    title = "A topic would lose records"
    exit_code = 2


class ClusterRefused(MahjicError):
    """The cluster did not create the topics the way they must be."""

    code = "cluster_refused"
    title = "The Kafka cluster refused to create a topic"
    exit_code = 2


async def create_topics(cluster: KafkaCluster) -> None:
    """Create both topics unless they are there. Raises ClusterRefused and LogAway."""
    settings = safe_settings(cluster.replication)
    topics = [
        NewTopic(name, 1, cluster.replication, topic_configs=settings)
        for name in (cluster.facts_topic, cluster.verdicts_topic)
    ]
    async with cluster.admin() as admin:
        answer = await admin.create_topics(topics)
    for name, code, *words in answer.topic_errors:
        error = for_code(code)
        if code != NO_ERROR and error is not TopicAlreadyExistsError:
            said = words[0] if words and words[0] else error.__name__
            raise ClusterRefused(
                f"The topic {name} could not be created with {cluster.replication} copies: {said}. "
                "MAHJIC_KAFKA_REPLICATION says how many copies there are; one copy is lost with "
                "its broker."
            )
    await _until_known([topic.name for topic in topics], cluster)


async def _until_known(names: Sequence[str], cluster: KafkaCluster) -> None:
    """Wait until the cluster knows topics that it has created, or until the time is up."""
    ends_s = time.monotonic() + KNOWN_S_MAX
    async with cluster.admin() as admin:
        while time.monotonic() < ends_s:
            described = await admin.describe_topics(names)
            errors = {for_code(topic["error_code"]) for topic in described}
            if not errors & NOT_YET:
                return
            await asyncio.sleep(KNOWN_LOOK_S)


async def check_topics(cluster: KafkaCluster) -> None:
    """Check that both topics keep every record forever. Raises TopicUnsafe and LogAway."""
    names = [cluster.facts_topic, cluster.verdicts_topic]
    async with cluster.admin() as admin:
        described = await admin.describe_topics(names)
        copies = {
            topic["topic"]: _checked_copies(topic, cluster.replication) for topic in described
        }
        for name in names:
            settings = await _settings(admin, name)
            wrong = [*_wrong(settings, cluster.replication), *_too_strict(settings, copies[name])]
            if wrong:
                raise TopicUnsafe(
                    f"The topic {name} would lose records: {'; '.join(wrong)}. Change it with "
                    "kafka-configs.sh, or choose another MAHJIC_KAFKA_PREFIX."
                )


async def cluster_id(cluster: KafkaCluster) -> str:
    """Return what the cluster calls itself. Raises LogAway."""
    async with cluster.admin() as admin:
        described = await admin.describe_cluster()
    return str(described["cluster_id"])


def safe_settings(replication: int) -> dict[str, str]:
    """Return the settings of a topic that keeps every record forever."""
    return {
        "cleanup.policy": "delete",
        "retention.ms": "-1",
        "retention.bytes": "-1",
        # A record is durable once most copies have it.
        "min.insync.replicas": str(replication // 2 + 1),
        "unclean.leader.election.enable": "false",
        "max.message.bytes": str(RECORD_BYTES_MAX),
    }


def _checked_copies(topic: Mapping[str, Any], replication: int) -> int:
    """Return how many copies of its one partition a topic has. Raises TopicUnsafe."""
    error, name, partitions = topic["error_code"], topic["topic"], topic["partitions"]
    if for_code(error) is UnknownTopicOrPartitionError:
        raise TopicUnsafe(f"The topic {name} does not exist. Run `mahjic kafka init`.")
    if error != NO_ERROR:
        raise for_code(error)(name)
    if len(partitions) != 1:
        raise TopicUnsafe(
            f"The topic {name} has {len(partitions)} partitions. A log is one sequence, so it "
            "needs exactly one: choose another MAHJIC_KAFKA_PREFIX."
        )
    copies = len(partitions[0]["replicas"])
    if copies < replication:
        raise TopicUnsafe(
            f"The topic {name} has {copies} copies, and MAHJIC_KAFKA_REPLICATION asks for "
            f"{replication}. Add copies with kafka-reassign-partitions.sh, or set it to {copies} "
            "if that is safe enough."
        )
    return copies


async def _settings(admin: AIOKafkaAdminClient, topic: str) -> dict[str, str]:
    (answer,) = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
    settings: dict[str, str] = {}
    for code, _words, _kind, _name, entries in answer.resources:
        if code != NO_ERROR:
            raise for_code(code)
        settings |= {entry[0]: entry[1] for entry in entries}
    return settings


def _wrong(settings: Mapping[str, str], replication: int) -> Iterator[str]:
    for name, wanted in safe_settings(replication).items():
        held = settings.get(name, "")
        is_least = name in ("min.insync.replicas", "max.message.bytes")
        if held != wanted and not (is_least and held.isdigit() and int(held) >= int(wanted)):
            yield f"{name} is {held or 'not set'}, and must be {wanted}"


def _too_strict(settings: Mapping[str, str], copies: int) -> Iterator[str]:
    least = settings.get("min.insync.replicas", "")
    if least.isdigit() and int(least) > copies:
        yield f"min.insync.replicas is {least}, so nothing can be written to {copies} copies"
