"""What the settings say of the way to a cluster holds, or is refused before anything is asked."""

import ssl
import subprocess
from pathlib import Path

import pytest

from services.cli.terminal.options import InvalidSettings, read_settings
from shared.log.kafka.cluster import CertificatesUnusable, KafkaCluster
from shared.settings import Settings

# What Kafka says of the longest name of a topic.
TOPIC_CHARACTERS_MAX = 249


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a certificate, its key, and the same key behind a password."""
    folder = tmp_path_factory.mktemp("certificates")
    made = ("-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(folder, "req", *made, "-subj", "/CN=kafka", "-out", "our.crt", "-keyout", "our.key")
    locked = ("-aes256", "-passout", "pass:hunter2")
    openssl(folder, "ec", "-in", "our.key", *locked, "-out", "locked.key")
    (folder / "words.crt").write_text("These are words.")
    return folder


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize("prefix", ["mahjic", "m", "2.org.mahjic-try_1", "x" * 240])
def test_a_prefix_begins_topics_that_kafka_takes(prefix: str) -> None:
    cluster = KafkaCluster(Settings(kafka_servers="kafka:9092", kafka_prefix=prefix))
    assert cluster.verdicts_topic == f"{prefix}.verdicts"
    assert len(cluster.verdicts_topic) <= TOPIC_CHARACTERS_MAX


@pytest.mark.parametrize("prefix", ["", ".", "..", "Mahjic", "two words", "a/b", "-a", "x" * 241])
def test_a_prefix_that_kafka_would_not_take_is_refused_in_a_sentence(
    prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAHJIC_KAFKA_PREFIX", prefix)
    with pytest.raises(InvalidSettings, match="MAHJIC_KAFKA_PREFIX: Use up to 240 of a-z"):
        read_settings()


def settings_for(folder: Path, *, ca: str, cert: str, key: str) -> Settings:
    return Settings(
        kafka_servers="kafka:9093",
        kafka_security="SSL",
        kafka_ca_file=folder / ca,
        kafka_cert_file=folder / cert,
        kafka_key_file=folder / key,
    )


def test_a_broker_must_prove_that_it_has_the_name_we_call_it_by(certificates: Path) -> None:
    settings = settings_for(certificates, ca="our.crt", cert="our.crt", key="our.key")
    context = KafkaCluster(settings).connection["ssl_context"]
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert len(context.get_ca_certs()) == 1, "It trusts whom the setting names and nobody else."


@pytest.mark.parametrize(
    ("ca", "cert", "key", "said"),
    [
        ("missing.crt", "our.crt", "our.key", "FileNotFoundError"),
        ("words.crt", "our.crt", "our.key", "SSLError"),
        ("our.crt", "words.crt", "our.key", "SSLError"),
        ("our.crt", "our.crt", "missing.key", "FileNotFoundError"),
        # Nobody is asked for its password, as OpenSSL does at a terminal.
        ("our.crt", "our.crt", "locked.key", "SSLError"),
    ],
)
def test_files_that_are_no_certificates_are_refused_by_the_settings_that_name_them(
    certificates: Path, ca: str, cert: str, key: str, said: str
) -> None:
    with pytest.raises(CertificatesUnusable, match=f"MAHJIC_KAFKA_CA_FILE.*{said}"):
        KafkaCluster(settings_for(certificates, ca=ca, cert=cert, key=key))
