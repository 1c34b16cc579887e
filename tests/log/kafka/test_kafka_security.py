"""Every way to a secured cluster, and who is refused there: loudly, and not as if it were away."""

import asyncio
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.errors import KafkaRefused
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.kafka.topics import ClusterRefused, check_topics, create_topics
from shared.log.port import LogAway
from shared.log.postgres import found_logs
from shared.settings import Settings
from tests.conftest import Database
from tests.kafka.broker import Broker
from tests.kafka.fixtures import a_broker
from tests.kafka.java_node import JavaNode
from tests.log.adapters import LOG_ID
from tests.log.deadlines import deadline
from tests.log.kafka.certificates import Certificates, make_certificates
from tests.log.kafka.test_kafka_repeats import records_of_facts
from tests.log.on_kafka import all_of

PASSWORD = "only-for-tests"
PLAIN = (
    "org.apache.kafka.common.security.plain.PlainLoginModule required "
    f'user_mahjic="{PASSWORD}" user_guest="{PASSWORD}";'
)
SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required;"


@dataclass(frozen=True, slots=True)
class Secured:
    """A broker that lets nobody in without a password or a certificate, but the tests."""

    broker: Broker
    certificates: Certificates


@pytest.fixture(scope="module")
async def secured(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Secured]:
    certificates = make_certificates(tmp_path_factory.mktemp("certificates"))
    properties = {
        "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-512",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificates.broker_store),
        "ssl.truststore.type": "PEM",
        "ssl.truststore.location": str(certificates.authority),
        "listener.name.tls.ssl.client.auth": "required",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS;User:mahjic;User:CN=client",
    }
    for listener in ("sasl", "sasltls"):
        properties[f"listener.name.{listener}.plain.sasl.jaas.config"] = PLAIN
        properties[f"listener.name.{listener}.scram-sha-512.sasl.jaas.config"] = SCRAM
    listeners = {"SASL": "SASL_PLAINTEXT", "SASLTLS": "SASL_SSL", "TLS": "SSL"}
    async with a_broker(listeners=listeners, properties=properties) as broker:
        if not isinstance(broker.node, JavaNode):
            pytest.skip("NOT TRIED: a container does not see the certificates.")
        await asyncio.to_thread(add_user, broker, broker.node)
        yield Secured(broker, certificates)


def add_user(broker: Broker, node: JavaNode) -> None:
    """Give the user a password for SCRAM, as an operator does with kafka-configs.sh."""
    who = ["--entity-type", "users", "--entity-name", "mahjic"]
    what = ["--alter", "--add-config", f"SCRAM-SHA-512=[password={PASSWORD}]"]
    arguments = ["--bootstrap-server", broker.address, *what, *who]
    done = subprocess.run(
        [*node._java, "kafka.admin.ConfigCommand", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def a_secured_cluster(secured: Secured, prefix: str, listener: str, **chosen: Any) -> KafkaCluster:
    return KafkaCluster(
        Settings(
            kafka_servers=secured.broker.address_of(listener),
            kafka_prefix=prefix,
            kafka_replication=1,
            **chosen,
        )
    )


def by_password(mechanism: str, security: str = "SASL_PLAINTEXT", **other: str) -> dict[str, Any]:
    return {
        "kafka_security": security,
        "kafka_sasl_mechanism": mechanism,
        "kafka_user": "mahjic",
        "kafka_password": PASSWORD,
        **other,
    }


def by_certificate(certificates: Certificates) -> dict[str, Any]:
    return {
        "kafka_security": "SSL",
        "kafka_ca_file": certificates.authority,
        "kafka_cert_file": certificates.client,
        "kafka_key_file": certificates.client_key,
    }


async def assert_works(cluster: KafkaCluster, database: Database) -> None:
    """Check that everything that needs the cluster gets in."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    await create_topics(cluster)
    records = records_of_facts(3)
    async with deadline(), KafkaFactLog(cluster, LOG_ID) as log, FactCopier(cluster) as copier:
        await copier.append(records)
        assert await all_of(log) == records
    writer = await KafkaVerdictLog(cluster, LOG_ID, database.pool).open_writer("one")
    await writer.append([b"1"], fact_seq=1)
    await writer.close()


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
async def test_a_user_with_the_password_is_let_in(
    secured: Secured, database: Database, kafka_prefix: str, mechanism: str
) -> None:
    chosen = by_password(mechanism)
    await assert_works(a_secured_cluster(secured, kafka_prefix, "SASL", **chosen), database)


async def test_a_user_with_the_password_is_let_in_over_tls(
    secured: Secured, database: Database, kafka_prefix: str
) -> None:
    chosen = by_password("SCRAM-SHA-512", "SASL_SSL")
    chosen["kafka_ca_file"] = secured.certificates.authority
    await assert_works(a_secured_cluster(secured, kafka_prefix, "SASLTLS", **chosen), database)


async def test_a_certificate_of_the_authority_is_let_in(
    secured: Secured, database: Database, kafka_prefix: str
) -> None:
    chosen = by_certificate(secured.certificates)
    await assert_works(a_secured_cluster(secured, kafka_prefix, "TLS", **chosen), database)


async def assert_refused(cluster: KafkaCluster, database: Database, why: str) -> None:
    """Check that everything that needs the cluster is told at once why it does not get in."""
    async with database.pool.acquire() as connection, connection.transaction():
        await found_logs(connection, LOG_ID)
    facts = KafkaFactLog(cluster, LOG_ID)
    verdicts = KafkaVerdictLog(cluster, LOG_ID, database.pool)
    async with deadline(), facts:
        for question in (
            create_topics(cluster),
            check_topics(cluster),
            facts.tail(),
            facts.read(await facts.beginning(), 10),
            verdicts.read(await verdicts.beginning(), 10),
            verdicts.open_writer("one"),
        ):
            with pytest.raises(KafkaRefused, match=why) as refused:
                await question
            assert (refused.value.code, refused.value.exit_code) == ("kafka_refused", 2)
            assert PASSWORD not in str(refused.value)
        with pytest.raises(KafkaRefused, match=why):
            async with FactCopier(cluster):
                pass
        await facts.wait_beyond(0, 3600)


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
async def test_a_wrong_password_is_told_as_what_it_is(
    secured: Secured, database: Database, kafka_prefix: str, mechanism: str
) -> None:
    chosen = by_password(mechanism, kafka_password="another")
    cluster = a_secured_cluster(secured, kafka_prefix, "SASL", **chosen)
    await assert_refused(cluster, database, "SaslAuthenticationFailed")


async def test_a_mechanism_that_the_cluster_does_not_know_is_told(
    secured: Secured, database: Database, kafka_prefix: str
) -> None:
    cluster = a_secured_cluster(secured, kafka_prefix, "SASL", **by_password("SCRAM-SHA-256"))
    await assert_refused(cluster, database, "UnsupportedSaslMechanismError")


async def test_a_password_where_none_is_asked_for_is_told(
    secured: Secured, database: Database, kafka_prefix: str
) -> None:
    cluster = a_secured_cluster(secured, kafka_prefix, "PLAINTEXT", **by_password("PLAIN"))
    await assert_refused(cluster, database, "IllegalSaslStateError")


async def test_a_broker_that_another_authority_has_signed_is_not_trusted(
    secured: Secured, database: Database, kafka_prefix: str, tmp_path: Path
) -> None:
    chosen = by_certificate(secured.certificates)
    chosen["kafka_ca_file"] = make_certificates(tmp_path).authority
    cluster = a_secured_cluster(secured, kafka_prefix, "TLS", **chosen)
    await assert_refused(cluster, database, "SSLCertVerificationError")


async def test_a_certificate_of_another_authority_is_refused(
    secured: Secured, database: Database, kafka_prefix: str, tmp_path: Path
) -> None:
    chosen = by_certificate(make_certificates(tmp_path))
    chosen["kafka_ca_file"] = secured.certificates.authority
    cluster = a_secured_cluster(secured, kafka_prefix, "TLS", **chosen)
    await assert_refused(cluster, database, "SSLError")


async def test_tls_to_a_port_without_it_looks_like_a_broker_that_just_ends(
    secured: Secured, kafka_prefix: str
) -> None:
    chosen = by_certificate(secured.certificates)
    cluster = a_secured_cluster(secured, kafka_prefix, "PLAINTEXT", **chosen)
    with pytest.raises(LogAway, match="Unable to bootstrap from"):
        await create_topics(cluster)


async def test_a_user_without_rights_is_refused_and_not_taken_for_away(
    secured: Secured, kafka_prefix: str
) -> None:
    owner = a_secured_cluster(secured, kafka_prefix, "SASL", **by_password("PLAIN"))
    await create_topics(owner)
    chosen = by_password("PLAIN", kafka_user="guest")
    guest = a_secured_cluster(secured, kafka_prefix, "SASL", **chosen)
    with pytest.raises(ClusterRefused, match="Authorization failed"):
        await create_topics(guest)
    with pytest.raises(KafkaRefused, match="Authorization"):
        await check_topics(guest)
    async with deadline(), KafkaFactLog(guest, LOG_ID) as facts:
        with pytest.raises(KafkaRefused, match="Authorization"):
            await facts.tail()
        with pytest.raises(KafkaRefused, match="Authorization"):
            async with FactCopier(guest) as copier:
                await copier.append(records_of_facts(1))
