"""Where the Kafka cluster is and how to reach it: every client of it is made here.

Kafka's errors do not leave the rooms of the log: what means that the cluster cannot be reached for
now is raised as LogAway.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError
from aiokafka.helpers import create_ssl_context

from shared.log.port import LogAway
from shared.settings import Settings

# The largest record: a correction of a million ratings in its parts stays far below.
RECORD_BYTES_MAX: Final = 16 << 20
# One question to the cluster; a broker that is frozen answers none.
REQUEST_S_MAX: Final = 5.0
# A broker that restarts is back within seconds, so this often is often enough.
RETRY_MS: Final = 100
BATCH_BYTES_MAX: Final = 1 << 20
FETCH_BYTES_MAX: Final = 4 << 20
STOP_S_MAX: Final = 2.0
# Kafka's own errors, refused connections and our time limits (TimeoutError is an OSError).
KAFKA_AWAY: Final = (KafkaError, OSError)


class KafkaCluster:
    """The addresses, the security and the names of the topics of one installation."""

    def __init__(self, settings: Settings) -> None:
        assert settings.kafka_servers is not None, (
            "Whoever asks for Kafka has checked the settings."
        )
        self.servers = settings.kafka_servers
        self.prefix = settings.kafka_prefix
        self.replication = settings.kafka_replication
        self.security = _security(settings)

    @property
    def facts_topic(self) -> str:
        """The topic that facts are copied to."""
        return f"{self.prefix}.facts"

    @property
    def verdicts_topic(self) -> str:
        """The topic that verdicts are written to."""
        return f"{self.prefix}.verdicts"

    @property
    def writer_id(self) -> str:
        """The transactional id of the rater: always the same, so that a new one fences the old."""
        return f"{self.prefix}.rater"

    @property
    def connection(self) -> dict[str, Any]:
        """The keyword arguments that every aiokafka client needs to connect."""
        return {"bootstrap_servers": self.servers, **self.security}

    def consumer(self) -> AIOKafkaConsumer:
        """Return a consumer without a group, which sees only what is there for good."""
        return AIOKafkaConsumer(
            **self.connection,
            isolation_level="read_committed",
            auto_offset_reset="none",
            enable_auto_commit=False,
            request_timeout_ms=int(REQUEST_S_MAX * 1000),
            retry_backoff_ms=RETRY_MS,
            max_partition_fetch_bytes=FETCH_BYTES_MAX,
            fetch_max_wait_ms=500,
        )

    def producer(self, role: Mapping[str, object] = MappingProxyType({})) -> AIOKafkaProducer:
        """Return an idempotent producer; `role` adds what a transactional one needs."""
        return AIOKafkaProducer(
            **self.connection,
            **role,
            enable_idempotence=True,
            acks="all",
            request_timeout_ms=int(REQUEST_S_MAX * 1000),
            retry_backoff_ms=RETRY_MS,
            max_batch_size=BATCH_BYTES_MAX,
            max_request_size=RECORD_BYTES_MAX,
        )

    @contextlib.asynccontextmanager
    async def admin(self) -> AsyncIterator[AIOKafkaAdminClient]:
        """Give a client that asks about topics. Raises LogAway."""
        client = AIOKafkaAdminClient(
            **self.connection, request_timeout_ms=int(REQUEST_S_MAX * 1000)
        )
        with told_as_away():
            try:
                await client.start()
                yield client
            finally:
                await client.close()


@contextlib.contextmanager
def told_as_away() -> Iterator[None]:
    """Raise LogAway for what means that the cluster cannot be reached for now."""
    try:
        yield
    except KAFKA_AWAY as error:
        raise LogAway(f"The Kafka cluster is away: {type(error).__name__}.") from error


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stop a consumer, also when its cluster does not answer."""
    with contextlib.suppress(*KAFKA_AWAY):
        async with asyncio.timeout(STOP_S_MAX):
            await consumer.stop()


async def stop_producer(producer: AIOKafkaProducer) -> None:
    """Stop a producer; what it could not send within a moment is given up."""
    manager, sender = producer._txn_manager, producer._sender  # noqa: SLF001 - it shows neither.
    waiting = None if manager is None else manager.wait_for_transaction_end()
    if waiting is not None:
        # Whoever sent has heard what was wrong, and nobody waits for the end any more.
        waiting.add_done_callback(lambda each: each.cancelled() or each.exception())
    try:
        async with asyncio.timeout(STOP_S_MAX):
            await producer.stop()
    except KAFKA_AWAY:
        # Its own stop waits for everything to be sent, and has no other way.
        if sender is not None:
            await sender.close()
        await producer.client.close()


def _security(settings: Settings) -> dict[str, Any]:
    chosen: dict[str, Any] = {"security_protocol": settings.kafka_security}
    if settings.kafka_security.endswith("SSL"):
        chosen["ssl_context"] = create_ssl_context(
            cafile=settings.kafka_ca_file,
            certfile=settings.kafka_cert_file,
            keyfile=settings.kafka_key_file,
        )
    if settings.kafka_user is not None and settings.kafka_password is not None:
        chosen["sasl_mechanism"] = settings.kafka_sasl_mechanism
        chosen["sasl_plain_username"] = settings.kafka_user
        chosen["sasl_plain_password"] = settings.kafka_password.get_secret_value()
    return chosen
