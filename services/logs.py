"""The logs that a process works on, and the checks that they are where it expects them."""

from dataclasses import dataclass

import asyncpg

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.topics import check_topics, cluster_id
from shared.log.place import KafkaPlace, check_cluster, check_in_tables
from shared.log.port import Log, VerdictLog
from shared.log.same_history import check_same_history


@dataclass(frozen=True, slots=True)
class OnKafka:
    """Where the logs are, according to the settings and to the database."""

    cluster: KafkaCluster
    place: KafkaPlace


@dataclass(frozen=True, slots=True)
class ServiceLogs:
    """The logs that a service works on.

    `recorded` is the table that ingest writes facts into. `facts` is where the rater reads them:
    that table too, or the topic that the relay copies it to. `kafka` is None if all are tables.
    """

    recorded: Log
    facts: Log
    verdicts: VerdictLog
    kafka: OnKafka | None = None

    @property
    def on_kafka(self) -> OnKafka:
        """Where they are, for a process that runs only on Kafka."""
        assert self.kafka is not None, "These logs are tables."
        return self.kafka


async def check_place(pool: asyncpg.Pool, logs: ServiceLogs) -> None:
    """Check that the logs are where they are expected.

    Raises LogsOnKafka, WrongCluster or LogAway.
    """
    if logs.kafka is None:
        await check_in_tables(pool)
    else:
        check_cluster(logs.kafka.place, await cluster_id(logs.kafka.cluster))


async def check_topics_safe(logs: ServiceLogs) -> None:
    """Check that the topics keep every record. Raises TopicUnsafe and LogAway."""
    await check_topics(logs.on_kafka.cluster)


async def check_copy(logs: ServiceLogs) -> None:
    """Check that the topic of facts, if there is one, is a copy of the table.

    Raises HistorySplit and LogAway.
    """
    if logs.kafka is None:
        return
    await check_same_history(
        logs.recorded,
        logs.facts,
        log_name="the table mahjic.facts",
        copy_name=f"The topic {logs.on_kafka.cluster.facts_topic}",
    )
