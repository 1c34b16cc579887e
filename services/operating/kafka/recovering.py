"""Brings facts back from Kafka into a database that was restored from an older copy.

First a plan is made, which changes nothing; then either all of it is done, in one transaction
under the lock of the head, or nothing.
"""

import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from services.database import open_database
from services.ingest.recovery.recovering import Recovered, take_over
from services.invitations.place import mark_now
from services.operating.kafka.needed import check_settings
from shared.db.bell import Bell
from shared.errors import MahjicError
from shared.log.agreement import compare
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.logs import KafkaFactLog
from shared.log.kafka.topics import check_topics, cluster_id
from shared.log.place import check_cluster, read_place
from shared.log.port import HistorySplit, Log, Position
from shared.log.postgres import PostgresFactLog, lock_head
from shared.settings import Settings

# A batch is held in memory; there is still only one transaction.
BATCH_FACTS: Final = 500

# Gets how many facts are taken over, and of how many.
Progress = Callable[[int, int], None]


class FactsMoved(MahjicError):
    """Someone has written facts since the plan was made."""

    code = "facts_moved"
    title = "Facts were written since the plan was made"


@dataclass(frozen=True, slots=True)
class Plan:
    """The facts to take over: those after the end of the table, up to the end of the topic."""

    table_end: Position
    topic_end: Position

    @property
    def facts(self) -> int:
        """How many facts the topic has that the table does not."""
        return max(0, self.topic_end.seq - self.table_end.seq)


@dataclass(frozen=True, slots=True)
class Recovery:
    """Both logs of facts, open for one recovery."""

    pool: asyncpg.Pool
    table: Log
    topic: Log
    topic_name: str

    async def plan(self) -> Plan:
        """Find out what to take over. Raises HistorySplit and LogAway."""
        found = await compare(self.table, self.topic)
        if found.is_split:
            raise HistorySplit(
                f"The table of facts and {self.topic_name} are the same up to fact "
                f"{found.common_seq} and differ after it: other facts were written to the "
                "database since it was restored. Nothing was changed. Stop everything, "
                "restore the backup again, and run `mahjic kafka recover` before you start "
                "anything else."
            )
        return Plan(found.one, found.other)

    async def carry_out(self, plan: Plan, progress: Progress, *, now: datetime) -> Recovered:
        """Take over the facts of a plan, all or none. Raises FactsMoved.

        The mails that these facts once caused are not on record, so nobody is written to about them
        again.
        """
        done = Recovered()
        async with self.pool.acquire() as connection, connection.transaction():
            head = await lock_head(connection)
            if head.position != plan.table_end:
                raise FactsMoved(
                    f"The table of facts now ends at {head.fact_seq}, no longer at "
                    f"{plan.table_end.seq}. Nothing was changed. Stop everything that writes, "
                    "and run this again."
                )
            while head.fact_seq < plan.topic_end.seq:
                progress(done.facts, plan.facts)
                records_max = min(BATCH_FACTS, plan.topic_end.seq - head.fact_seq)
                records = await self.topic.read(head.position, records_max)
                head = await take_over(connection, head, records, done)
            await mark_now(connection, now)
        progress(done.facts, plan.facts)
        return done


@contextlib.asynccontextmanager
async def open_recovery(settings: Settings) -> AsyncIterator[Recovery]:
    """Give what a recovery needs.

    A copy of the database from before the move to Kafka will do as well. Raises WrongCluster,
    TopicUnsafe and LogAway.
    """
    check_settings(settings)
    cluster = KafkaCluster(settings)
    async with open_database(settings, role="join") as pool:
        place = await read_place(pool)
        if place is not None:
            check_cluster(place, await cluster_id(cluster))
        await check_topics(cluster)
        table = PostgresFactLog(pool, Bell())
        log_id = (await table.beginning()).log_id
        async with KafkaFactLog(cluster, log_id) as topic:
            yield Recovery(pool, table, topic, f"the topic {cluster.facts_topic}")
