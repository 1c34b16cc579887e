"""Says where the logs of a database are: in its own tables, or on a Kafka cluster. A process that
expects the other place is refused, so that one history is never written in two places.
"""

from dataclasses import dataclass
from typing import Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from shared.errors import MahjicError

READ_PLACE: Final = "SELECT cluster_id, prefix, is_moved FROM mahjic.kafka"

Database = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy


class LogsOnKafka(MahjicError):
    """The logs of this database have moved to Kafka, where one process no longer does it all."""

    code = "logs_on_kafka"
    title = "The logs of this database are on Kafka"
    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "The logs of this database are on Kafka. Run `mahjic ingest`, `mahjic relay`, "
            "`mahjic rater`, `mahjic projections`, `mahjic read`, `mahjic site`, `mahjic mail "
            "send`, `mahjic webhooks send` and `mahjic verification work` instead of `mahjic "
            "serve`; docs/operations.md says how they work together."
        )


class KafkaNotInitialized(MahjicError):
    """The logs of this database are its own tables."""

    code = "kafka_not_initialised"
    title = "The logs of this database are not on Kafka"
    exit_code = 2


class KafkaMoveUnfinished(MahjicError):
    """`mahjic kafka init` has not finished on this database."""

    code = "kafka_move_unfinished"
    title = "The logs are on their way to Kafka"
    exit_code = 2


class WrongPrefix(MahjicError):
    """The topics of this database have different names than the settings say."""

    code = "wrong_prefix"
    title = "The logs of this database are in other topics"
    exit_code = 2


class WrongCluster(MahjicError):
    """The brokers belong to a different Kafka cluster than the one with this database's logs."""

    code = "wrong_cluster"
    title = "This is not the Kafka cluster that has the logs"
    exit_code = 2


@dataclass(frozen=True, slots=True)
class KafkaPlace:
    """Where the logs of a database are on Kafka; `is_moved` is false until all of them are."""

    cluster_id: str
    prefix: str
    is_moved: bool


async def read_place(database: Database) -> KafkaPlace | None:
    """Return where on Kafka the logs are; None when they are the tables of the database."""
    row = await database.fetchrow(READ_PLACE)
    return None if row is None else KafkaPlace(row["cluster_id"], row["prefix"], row["is_moved"])


async def check_in_tables(database: Database) -> None:
    """Check that the logs are the tables of the database. Raises LogsOnKafka."""
    if await read_place(database) is not None:
        raise LogsOnKafka


async def check_on_kafka(database: Database, prefix: str) -> KafkaPlace:
    """Return where on Kafka all the logs are.

    Raises KafkaNotInitialized, KafkaMoveUnfinished or WrongPrefix.
    """
    place = await read_place(database)
    if place is None:
        raise KafkaNotInitialized(
            "The logs of this database are its own tables. Run `mahjic kafka init` to move them "
            "to Kafka, or `mahjic serve` to leave them where they are."
        )
    if not place.is_moved:
        raise KafkaMoveUnfinished(
            "Not all logs of this database are on Kafka yet. Run `mahjic kafka init` again "
            "until it says that they are."
        )
    check_prefix(place, prefix)
    return place


def check_prefix(place: KafkaPlace, prefix: str) -> None:
    """Check that the settings name the topics with the logs. Raises WrongPrefix."""
    if place.prefix != prefix:
        raise WrongPrefix(
            f"The topics of this database start with {place.prefix}, and MAHJIC_KAFKA_PREFIX is "
            f"{prefix}. Set it to {place.prefix}, unless this database was restored from a copy "
            f"made before the logs moved to {prefix}: then see docs/operations.md."
        )


def check_cluster(place: KafkaPlace, cluster_id: str) -> None:
    """Check that a cluster is the one with the logs. Raises WrongCluster."""
    if cluster_id != place.cluster_id:
        raise WrongCluster(
            f"The logs of this database are on the Kafka cluster {place.cluster_id}, and "
            f"MAHJIC_KAFKA_SERVERS leads to {cluster_id}. Correct the addresses, or "
            "MAHJIC_DATABASE_URL; if that cluster is lost, see docs/operations.md."
        )
