"""Opens both logs in both places: the tables of the database, and the topics."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg

from services.operating.kafka.copying import Pair
from shared.db.bell import Bell
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.postgres import PostgresFactLog, PostgresVerdictLog


@dataclass(frozen=True, slots=True)
class LogPairs:
    """Both logs in both places."""

    facts: Pair
    verdicts: Pair
    verdict_topic: KafkaVerdictLog


@contextlib.asynccontextmanager
async def open_pairs(pool: asyncpg.Pool, cluster: KafkaCluster) -> AsyncIterator[LogPairs]:
    """Give both logs in both places, for reading."""
    facts, verdicts = PostgresFactLog(pool, Bell()), PostgresVerdictLog(pool, Bell())
    log_id = (await facts.beginning()).log_id
    async with (
        KafkaFactLog(cluster, log_id) as fact_topic,
        KafkaVerdictLog(cluster, log_id, pool) as verdict_topic,
    ):
        yield LogPairs(
            Pair(facts, fact_topic, "The table of facts", f"the topic {cluster.facts_topic}"),
            Pair(
                verdicts,
                verdict_topic,
                "The table of verdicts",
                f"the topic {cluster.verdicts_topic}",
            ),
            verdict_topic,
        )
