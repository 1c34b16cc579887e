"""Finds what a broker runs on: Java with Kafka's jars, which Maven fetches once into .kafka."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".kafka"
JAVA_VERSION_MIN = 17
FETCH_S_MAX = 240.0
REQUIRE = "MAHJIC_REQUIRE_KAFKA"


class KafkaMissing(Exception):
    """This machine lacks something that a broker needs; the words say what to install."""


def find_java() -> str:
    """Return the path of a Java that can run Kafka."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None:
        raise KafkaMissing(
            f"Install Java {JAVA_VERSION_MIN} or newer (Debian: default-jre-headless)."
        )
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError) as error:
        raise KafkaMissing(f"{java} does not run: {error}") from error
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < JAVA_VERSION_MIN:
        raise KafkaMissing(f"{java} is not Java {JAVA_VERSION_MIN} or newer. It says: {said}")
    return java


def kafka_jars(cache: Path = CACHE, pom: Path = HERE / "pom.xml") -> Path:
    """Return the folder with the jars that the pom names, fetched if they are not there yet."""
    digest = hashlib.sha256(pom.read_bytes()).hexdigest()[:16]
    jars = cache / f"libs-{digest}"
    if not jars.is_dir():
        _fetch(jars, pom)
    return jars


def _fetch(jars: Path, pom: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise KafkaMissing("Install Maven (Debian: maven), which fetches Kafka once.")
    jars.parent.mkdir(exist_ok=True)
    fetched = Path(tempfile.mkdtemp(prefix="fetching-", dir=jars.parent))
    command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={fetched}"]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=FETCH_S_MAX)
        _move(fetched, jars)
    except subprocess.CalledProcessError as error:
        raise KafkaMissing(f"Maven could not fetch Kafka:\n{error.stdout[-2000:]}") from error
    except subprocess.TimeoutExpired as error:
        raise KafkaMissing(f"Maven could not fetch Kafka in {FETCH_S_MAX} s.") from error
    finally:
        shutil.rmtree(fetched, ignore_errors=True)


def _move(fetched: Path, jars: Path) -> None:
    # All jars appear at once. Another run may have been quicker: its folder is as good as ours.
    try:
        fetched.rename(jars)
    except OSError:
        if not jars.is_dir():
            raise
