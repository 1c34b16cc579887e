"""Moves the logs of a database to Kafka, every record byte for byte, no matter what else runs.

From its first transaction on, verdicts can no longer be written to the table. It can be killed at
any time: run again, it continues where the topics end.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.database import open_database
from services.operating.kafka.copying import check_facts, check_verdicts, copy_facts, copy_verdicts
from services.operating.kafka.needed import check_settings
from services.operating.kafka.pairs import LogPairs, open_pairs
from shared.db.sandbox import IsSandbox, is_sandbox
from shared.errors import MahjicError
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.topics import check_topics, cluster_id, create_topics
from shared.log.place import KafkaPlace, check_cluster, check_prefix, read_place
from shared.log.port import Position
from shared.log.right import take_right
from shared.settings import Settings

HOLDER: Final = "mahjic kafka init"

BEGIN: Final = """
INSERT INTO mahjic.kafka (cluster_id, prefix, is_moved) VALUES ($1, $2, false)
ON CONFLICT (is_only) DO UPDATE
SET cluster_id = excluded.cluster_id, prefix = excluded.prefix, is_moved = false
"""
FINISH: Final = """
UPDATE mahjic.kafka SET is_moved = true WHERE cluster_id = $1 AND prefix = $2 RETURNING true
"""

# Gets the current task, how much of it is done, and of how much.
Progress = Callable[[str, int, int], None]


class MoveOvertaken(MahjicError):
    """Someone else has started to move the same logs, perhaps to another place."""

    code = "move_overtaken"
    title = "Another move of these logs has started"
    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "Someone else has started to move the logs of this database, perhaps to other "
            "topics, so this move was not finished. Nothing is lost: agree on who does it, "
            "and run `mahjic kafka init` again."
        )


@dataclass(frozen=True, slots=True)
class MovedLogs:
    """Where the topics end now; `was_moved` if there was nothing left to do but check."""

    facts: Position
    verdicts: Position
    was_moved: bool


async def move_to_kafka(settings: Settings, *, is_lost: bool, progress: Progress) -> MovedLogs:
    """Move both logs to Kafka, or check that they are there.

    `is_lost` is the operator's word that the earlier topics, or their cluster, are gone: the logs
    are moved again, to wherever the settings say. Raises whatever error prevents the move.
    """
    check_settings(settings)
    cluster = KafkaCluster(settings)
    async with open_database(settings, role="join") as pool:
        if await is_sandbox(pool):
            raise IsSandbox("A sandbox keeps its logs in its own folder, and not on Kafka.")
        new = KafkaPlace(await cluster_id(cluster), cluster.prefix, is_moved=True)
        before = await read_place(pool)
        is_moved = False
        if before is not None and not is_lost:
            check_prefix(before, new.prefix)
            check_cluster(before, new.cluster_id)
            is_moved = before.is_moved
        if not is_moved:
            await create_topics(cluster)
        await check_topics(cluster)
        async with open_pairs(pool, cluster) as logs:
            ends = await check_facts(logs.facts), await check_verdicts(logs.verdicts)
            if is_moved:
                return MovedLogs(*ends, was_moved=True)
            await _begin(pool, before, new)
            await _copy(cluster, logs, progress)
        # Read again, by clients other than those that wrote.
        async with open_pairs(pool, cluster) as logs:
            ends = await check_facts(logs.facts), await check_verdicts(logs.verdicts)
            assert ends[1].seq >= (await logs.verdicts.table.tail()).seq
            if not await pool.fetchval(FINISH, new.cluster_id, new.prefix):
                raise MoveOvertaken
            return MovedLogs(*ends, was_moved=False)


async def _begin(pool: asyncpg.Pool, before: KafkaPlace | None, place: KafkaPlace) -> None:
    """Take the right to write verdicts from everyone, and say in the database where they go.

    Raises MoveOvertaken if the database now says something else than before.
    """

    async def settle(connection: PoolConnectionProxy) -> None:
        # Under the lock of the right, so that of two moves started at once the second one sees it.
        if await read_place(connection) != before:
            raise MoveOvertaken
        await connection.execute(BEGIN, place.cluster_id, place.prefix)

    right, _ = await take_right(pool, HOLDER, settle)
    await right.close()


async def _copy(cluster: KafkaCluster, logs: LogPairs, progress: Progress) -> None:
    async with FactCopier(cluster) as copier:
        await copy_facts(logs.facts, copier, lambda done, all_: progress("facts", done, all_))
    writer = await logs.verdict_topic.open_writer(HOLDER)
    try:
        await copy_verdicts(
            logs.verdicts, writer, lambda done, all_: progress("verdicts", done, all_)
        )
    finally:
        await writer.close()
