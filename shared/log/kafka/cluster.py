"""Where the Kafka cluster is and how to reach it: every client of it is made and started here."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from ssl import SSLContext
from types import MappingProxyType
from typing import Any, Final, Protocol

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.conn import create_conn
from aiokafka.errors import KafkaConnectionError
from aiokafka.helpers import create_ssl_context

from shared.errors import MahjicError
from shared.log.kafka.errors import KAFKA_AWAY, refusal_in, refused, to_its_end, told_as_away
from shared.log.kafka.records import RECORD_BYTES_MAX
from shared.settings import Settings

# For one question to the cluster; a frozen broker answers none.
REQUEST_S_MAX: Final = 5.0
# A broker that restarts is back within seconds, so this often is often enough.
RETRY_MS: Final = 100
BATCH_BYTES_MAX: Final = 1 << 20
FETCH_BYTES_MAX: Final = 4 << 20
STOP_S_MAX: Final = 2.0
# A client asks one server after the other, and a frozen one takes the time of a question.
START_S_MAX: Final = 15.0
# A server that refuses us says so at once.
ADMIT_S_MAX: Final = 2.0

# What aiokafka says about a cluster that has just come back and answers, but knows no broker yet.
NAMES_NO_BROKER: Final = "Did we not perform bootstrap?"


class CertificatesUnusable(MahjicError):
    """A file with certificates or a key cannot be read, or has something else in it."""

    code = "certificates_unusable"
    title = "The certificates for Kafka cannot be used"
    exit_code = 2


class Client(Protocol):
    async def start(self) -> None: ...


class KafkaCluster:
    """The addresses, the security and the names of the topics of one installation.

    Making one raises CertificatesUnusable.
    """

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
        """Return a consumer without a group, which sees only what is committed."""
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
                await self.start(client)
                yield client
            finally:
                await to_its_end(client.close(), STOP_S_MAX)

    async def start(self, client: Client, start_s_max: float = START_S_MAX) -> None:
        """Start a client. Raises KafkaRefused, and LogAway at the latest after the time given."""
        with told_as_away():
            try:
                # Canceled while it connects, it would leave that connection behind.
                await to_its_end(_within(start_s_max, client), STOP_S_MAX)
            except KafkaConnectionError:
                await self._check_admitted()
                raise

    async def _check_admitted(self) -> None:
        """Raise KafkaRefused if a server refuses us; the clients do not report that."""
        refusals = await asyncio.gather(*map(self._refusal_of, self.servers.split(",")))
        for refusal in refusals:
            if refusal is not None:
                raise refused(refusal) from refusal

    async def _refusal_of(self, server: str) -> Exception | None:
        host, _, port = server.rpartition(":")
        try:
            async with asyncio.timeout(ADMIT_S_MAX):
                connection = await create_conn(host.strip("[]"), int(port), **self.security)
        except KAFKA_AWAY as error:
            return refusal_in(error)
        await connection.close()
        return None


async def stop_consumer(consumer: AIOKafkaConsumer) -> None:
    """Stop a consumer, even when its cluster does not answer."""
    await to_its_end(_stop_consumer(consumer), 2 * STOP_S_MAX)


async def _stop_consumer(consumer: AIOKafkaConsumer) -> None:
    with contextlib.suppress(*KAFKA_AWAY):
        async with asyncio.timeout(STOP_S_MAX):
            try:
                await consumer.stop()
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                # No one canceled us: stopping cancels a fetch that pauses after a failure, fails on
                # that itself, and leaves its connections open.
                await consumer._client.close()  # noqa: SLF001 - there is no public way.


async def _within(start_s_max: float, client: Client) -> None:
    async with asyncio.timeout(start_s_max):
        try:
            await client.start()
        except AssertionError as error:
            if str(error) != NAMES_NO_BROKER:
                raise
            raise KafkaConnectionError("The cluster names no broker yet.") from error


def _security(settings: Settings) -> dict[str, Any]:
    chosen: dict[str, Any] = {"security_protocol": settings.kafka_security}
    if settings.kafka_security.endswith("SSL"):
        chosen["ssl_context"] = _ssl_context(settings)
    if settings.kafka_user is not None and settings.kafka_password is not None:
        chosen["sasl_mechanism"] = settings.kafka_sasl_mechanism
        chosen["sasl_plain_username"] = settings.kafka_user
        chosen["sasl_plain_password"] = settings.kafka_password.get_secret_value()
    return chosen


def _ssl_context(settings: Settings) -> SSLContext:
    """Return what proves who the brokers are, by the names we use for them, and who we are."""
    try:
        context: SSLContext = create_ssl_context(
            cafile=settings.kafka_ca_file,
            certfile=settings.kafka_cert_file,
            keyfile=settings.kafka_key_file,
            # A key with a password is refused; otherwise OpenSSL would ask at a terminal.
            password="",
        )
    except OSError as error:
        # SSL errors are among them, and their own words name no file.
        raise CertificatesUnusable(
            "MAHJIC_KAFKA_CA_FILE, _CERT_FILE and _KEY_FILE must be files that this user can "
            "read, with PEM certificates and the matching key, without a password. One of them "
            f"is not: {type(error).__name__}: {error}."
        ) from error
    return context
