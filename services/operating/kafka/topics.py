"""Checks where the logs end, and whether everything built on them still fits."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import asyncpg

from services.operating.kafka.copying import Pair, check_facts, check_verdicts
from services.operating.kafka.needed import check_cluster_named
from services.operating.kafka.pairs import open_pairs
from shared.db.bell import Bell
from shared.errors import MahjicError
from shared.events.codec import decode_verdict
from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.topics import check_topics, cluster_id
from shared.log.place import KafkaPlace, check_cluster, check_prefix
from shared.log.port import HistorySplit, Log, LogAway, LogGap, Position
from shared.log.postgres import PostgresVerdictLog
from shared.settings import Settings

LogName = Literal["facts", "verdicts"]


@dataclass(frozen=True, slots=True)
class LogEnd:
    """Where a log ends in one place; unknown while that is away."""

    log: LogName
    place: Literal["table", "topic"]
    state: Literal["ok", "moved", "away", "broken"]
    seq: int | None = None
    chain: str | None = None


@dataclass(slots=True)
class Ends:
    """Where the topics end, the last fact that was answered there, and what is wrong."""

    facts_topic: LogEnd | None = None
    verdicts_topic: LogEnd | None = None
    answered_seq: int | None = None
    troubles: list[str] = field(default_factory=list)

    @property
    def topics(self) -> Sequence[LogEnd]:
        """The ends of the topics; none where the logs are tables."""
        return [end for end in (self.facts_topic, self.verdicts_topic) if end is not None]


async def ends_of_tables(pool: asyncpg.Pool, builds: Sequence[asyncpg.Record]) -> Ends:
    """Check logs that are tables: only the views could be built on a different history."""
    ends = Ends()
    await _check_builds(PostgresVerdictLog(pool, Bell()), builds, ends)
    return ends


async def ends_of_topics(
    settings: Settings, pool: asyncpg.Pool, place: KafkaPlace, builds: Sequence[asyncpg.Record]
) -> Ends:
    """Check logs that are topics, as far as the cluster answers."""
    ends = Ends(LogEnd("facts", "topic", "away"), LogEnd("verdicts", "topic", "away"))
    try:
        check_cluster_named(settings)
        cluster = KafkaCluster(settings)
        check_prefix(place, cluster.prefix)
        check_cluster(place, await cluster_id(cluster))
        await check_topics(cluster)
        async with open_pairs(pool, cluster) as pairs:
            ends.facts_topic = await _look("facts", pairs.facts, check_facts, ends)
            ends.verdicts_topic = await _look("verdicts", pairs.verdicts, check_verdicts, ends)
            if ends.verdicts_topic.state == "ok":
                last = await pairs.verdict_topic.last()
                ends.answered_seq = (
                    0 if last is None else decode_verdict(last.body).answers.fact_seq
                )
                await _check_builds(pairs.verdict_topic, builds, ends)
    except MahjicError as error:
        ends.troubles.append(_sentence(error))
    return ends


async def _look(
    log: LogName, pair: Pair, check: Callable[[Pair], Awaitable[Position]], ends: Ends
) -> LogEnd:
    end = LogEnd(log, "topic", "away")
    try:
        tail = await pair.topic.tail()
        end = replace(end, state="ok", seq=tail.seq, chain=tail.chain.hex())
        await check(pair)
    except LogAway as error:
        ends.troubles.append(_sentence(error))
    except (HistorySplit, LogGap) as error:
        ends.troubles.append(_sentence(error))
        return replace(end, state="broken")
    return end


async def _check_builds(log: Log, builds: Sequence[asyncpg.Record], ends: Ends) -> None:
    """Check that the log holds the verdict that each view has reached."""
    held: dict[int, Position | None] = {}
    for build in builds:
        seq = build["seq"]
        if seq not in held:
            held[seq] = await log.at(seq)
        if held[seq] != Position(build["log_id"], seq, build["chain"]):
            ends.troubles.append(
                f"history_split: The view {build['name']} has reached verdict {seq}, which is "
                "not on the log. See docs/operations.md on a split history."
            )


def _sentence(error: MahjicError) -> str:
    return f"{error.code}: {error.detail}"
