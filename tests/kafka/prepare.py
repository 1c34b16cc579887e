"""Fetches Kafka and makes its starts quick, once and ahead of the tests."""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from tests.kafka.broker import Broker
from tests.kafka.java_node import class_archive
from tests.kafka.tools import KafkaMissing, find_java, kafka_jars


def main() -> int:
    """Prepare what the tests need, or say why they will leave Kafka out; they decide what then."""
    try:
        find_java()
        jars = kafka_jars()
    except KafkaMissing as missing:
        sys.stderr.write(f"NOT TRIED, unless there is a Docker engine: Kafka mode. {missing}\n")
        return 0
    if not class_archive(jars).exists():
        asyncio.run(_archive_classes(jars))
    return 0


async def _archive_classes(jars: Path) -> None:
    # A start spends most of its time on reading and checking thousands of classes. Java does it
    # once for all when a broker that it runs comes to a clean end: starts take half the time then.
    folder = Path(tempfile.mkdtemp(prefix="preparing-", dir=jars.parent))
    archive = folder / "classes.jsa"
    try:
        options = [f"-XX:ArchiveClassesAtExit={archive}"]
        async with Broker(folder, java_options=options) as broker:
            await broker.stop()
        archive.rename(class_archive(jars))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
