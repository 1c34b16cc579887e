"""What a broker needs is fetched once, and what a machine lacks is told."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.kafka.fixtures import not_tried
from tests.kafka.tools import REQUIRE, KafkaMissing, find_java, kafka_jars

# Says where to put the jars as the real one does, and counts how often it was asked.
MAVEN = """#!{python}
import pathlib, sys
folder = next(word.partition("=")[2] for word in sys.argv if word.startswith("-DoutputDirectory"))
with pathlib.Path("{calls}").open("a") as calls:
    calls.write("called\\n")
pathlib.Path(folder, "kafka.jar").write_text("jar")
"""


@pytest.fixture
def calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a Maven first that only counts; return the file with a line for each of its calls."""
    calls = tmp_path / "calls"
    a_program(tmp_path / "bin" / "mvn", MAVEN.format(python=sys.executable, calls=calls))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return calls


def test_jars_are_fetched_again_only_when_the_pom_changes(tmp_path: Path, calls: Path) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text("one version")
    first = kafka_jars(tmp_path / "cache", pom)
    assert kafka_jars(tmp_path / "cache", pom) == first
    assert calls.read_text().count("called") == 1
    pom.write_text("another version")
    second = kafka_jars(tmp_path / "cache", pom)
    assert second != first
    assert (second / "kafka.jar").exists()
    assert calls.read_text().count("called") == 2


async def test_runs_that_fetch_at_the_same_time_all_find_whole_jars(
    tmp_path: Path, calls: Path
) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text("one version")
    cache = tmp_path / "cache"
    found = await asyncio.gather(
        *(asyncio.to_thread(kafka_jars, cache, pom) for _ in range(4)),
    )
    assert len(set(found)) == 1
    assert [path.name for path in found[0].iterdir()] == ["kafka.jar"]
    assert [path.name for path in cache.iterdir()] == [found[0].name]


def test_a_machine_without_java_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KafkaMissing, match="default-jre-headless"):
        find_java()


def test_a_java_that_is_too_old_for_kafka_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = a_program(tmp_path / "bin" / "java", "#!/bin/sh\necho 'version \"11.0.2\"' >&2\n")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(KafkaMissing, match=f"{java} is not Java 17"):
        find_java()


def test_a_machine_without_maven_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pom = tmp_path / "pom.xml"
    pom.write_text("one version")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KafkaMissing, match="Install Maven"):
        kafka_jars(tmp_path / "cache", pom)


def test_what_maven_says_when_it_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_program(tmp_path / "mvn", "#!/bin/sh\necho the network is away\nexit 1\n")
    pom = tmp_path / "pom.xml"
    pom.write_text("one version")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KafkaMissing, match="the network is away"):
        kafka_jars(tmp_path / "cache", pom)
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_kafka_a_test_is_skipped_unless_kafka_is_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = KafkaMissing("Install Java.")
    monkeypatch.delenv(REQUIRE, raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"NOT TRIED: no Kafka\. Install Java"):
        not_tried(missing)
    monkeypatch.setenv(REQUIRE, "1")
    with pytest.raises(pytest.fail.Exception, match="Install Java"):
        not_tried(missing)


def a_program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
