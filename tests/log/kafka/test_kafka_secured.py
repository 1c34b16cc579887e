"""A broker behind TLS and a password lets us in, and is believed only if it proves who it is."""

import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.log.kafka.cluster import KafkaCluster
from shared.log.kafka.copier import FactCopier
from shared.log.kafka.errors import KafkaRefused
from shared.log.kafka.logs import KafkaFactLog
from shared.log.kafka.topics import check_topics, cluster_id, create_topics
from shared.log.port import chained
from shared.settings import Settings
from tests.kafka.broker import Broker
from tests.kafka.fixtures import a_broker

LOG_ID = "secured"
LOGIN = "org.apache.kafka.common.security.plain.PlainLoginModule"


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the broker's certificate, for its address alone, and somebody else's."""
    folder = tmp_path_factory.mktemp("certificates")
    for name in ("broker", "other"):
        made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN={name}"]
        files = ["-keyout", f"{name}.key", "-out", f"{name}.crt"]
        for_address = ["-addext", "subjectAltName=IP:127.0.0.1"]
        command = ["openssl", "req", *made, *files, *for_address]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
async def secured(certificates: Path) -> AsyncIterator[Broker]:
    """Return a broker with a listener that has a certificate and asks for ada's password."""
    properties = {
        "sasl.enabled.mechanisms": "PLAIN",
        "listener.name.safe.plain.sasl.jaas.config": f'{LOGIN} required user_ada="right";',
        "listener.name.safe.ssl.keystore.type": "PEM",
        "listener.name.safe.ssl.keystore.key": on_one_line(certificates / "broker.key"),
        "listener.name.safe.ssl.keystore.certificate.chain": on_one_line(
            certificates / "broker.crt"
        ),
    }
    async with a_broker(listeners={"SAFE": "SASL_SSL"}, properties=properties) as broker:
        yield broker


def on_one_line(file: Path) -> str:
    return file.read_text().replace("\n", "\\n")


def a_way(servers: str, prefix: str, ca: Path, *, password: str = "right") -> KafkaCluster:
    return KafkaCluster(
        Settings.model_validate(
            {
                "kafka_servers": servers,
                "kafka_prefix": prefix,
                "kafka_replication": 1,
                "kafka_security": "SASL_SSL",
                "kafka_sasl_mechanism": "PLAIN",
                "kafka_user": "ada",
                "kafka_password": password,
                "kafka_ca_file": ca,
            }
        )
    )


async def test_every_client_comes_in_with_a_password_over_tls(
    secured: Broker, certificates: Path, kafka_prefix: str
) -> None:
    cluster = a_way(secured.address_of("SAFE"), kafka_prefix, certificates / "broker.crt")
    await create_topics(cluster)
    await check_topics(cluster)
    async with KafkaFactLog(cluster, LOG_ID) as log, FactCopier(cluster) as copier:
        records = chained(await log.beginning(), [b"1", b"2"])
        await copier.append(records)
        assert await log.read(await log.beginning(), 10) == records


async def test_a_wrong_password_is_told_as_a_refusal_and_never_repeated(
    secured: Broker, certificates: Path, kafka_prefix: str
) -> None:
    servers, ca = secured.address_of("SAFE"), certificates / "broker.crt"
    with pytest.raises(KafkaRefused, match="MAHJIC_KAFKA_SECURITY") as refused:
        await cluster_id(a_way(servers, kafka_prefix, ca, password="hunter2"))
    assert "hunter2" not in refused.value.detail


async def test_a_broker_that_somebody_else_has_signed_is_not_believed(
    secured: Broker, certificates: Path, kafka_prefix: str
) -> None:
    servers, ca = secured.address_of("SAFE"), certificates / "other.crt"
    with pytest.raises(KafkaRefused, match="SSLCertVerificationError"):
        await cluster_id(a_way(servers, kafka_prefix, ca))


async def test_a_broker_with_the_certificate_of_another_host_is_not_believed(
    secured: Broker, certificates: Path, kafka_prefix: str
) -> None:
    # The certificate is for the number; under its name the host has none.
    servers = secured.address_of("SAFE").replace("127.0.0.1", "localhost")
    with pytest.raises(KafkaRefused, match="localhost"):
        await cluster_id(a_way(servers, kafka_prefix, certificates / "broker.crt"))
