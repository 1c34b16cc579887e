"""What every command on Kafka needs to be told before it begins."""

from shared.errors import MahjicError
from shared.settings import Settings


class KafkaNeedsServer(MahjicError):
    """Kafka mode is many processes, and the embedded PostgreSQL belongs to one."""

    code = "kafka_needs_server"
    title = "Kafka mode needs a PostgreSQL server of your own"
    exit_code = 2


class KafkaNotNamed(MahjicError):
    """No one has said where the Kafka cluster is."""

    code = "kafka_not_named"
    title = "The Kafka cluster is not named"
    exit_code = 2


def check_settings(settings: Settings) -> None:
    """Check that the settings name a server and a cluster. Raises what is missing."""
    if settings.database_url is None:
        raise KafkaNeedsServer(
            "In Kafka mode, many processes share the database, so it must be on a PostgreSQL "
            "server of your own. To move a data folder there: stop the service, run `mahjic "
            "backup FILE`, set MAHJIC_DATABASE_URL, and run `mahjic restore FILE`; "
            "docs/operations.md has the details."
        )
    check_cluster_named(settings)


def check_cluster_named(settings: Settings) -> None:
    """Check that the settings name a cluster. Raises KafkaNotNamed."""
    if settings.kafka_servers is None:
        raise KafkaNotNamed("Set MAHJIC_KAFKA_SERVERS to the brokers, like kafka-1:9092.")
