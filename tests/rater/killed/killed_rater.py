"""A rater's process that kills itself at an instant of its next correction, for tests.

It prints `started` once it has caught up. What it is told to do before that instant is undisturbed.
"""

import asyncio
import functools
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from services.rater import folder as folders
from services.rater.folder import RaterFolder
from services.rater.saving import Pace
from services.rater.worker import Progress, run_rater
from shared.db.bell import Bell, listening
from shared.db.pool import open_pool
from shared.log.kafka.logs import KafkaFactLog, KafkaVerdictLog
from shared.log.kafka.writer import KafkaVerdictWriter
from shared.log.port import Log, VerdictLog
from shared.log.postgres import (
    FACTS_CHANNEL,
    VERDICTS_CHANNEL,
    PostgresFactLog,
    PostgresVerdictLog,
)
from shared.log.postgres_writer import PostgresVerdictWriter
from tests.log.adapters import LOG_ID
from tests.log.on_kafka import a_cluster
from tests.rater.stories import ENGINE

PACE: Final = Pace(save_facts=200, gap_facts=100)
# What is called at which instant, and whether the process dies before or after it is done.
INSTANTS: Final = {
    "the first place is found": (RaterFolder, "drop_beyond", "before"),
    "later checkpoints are dropped": (RaterFolder, "drop_beyond", "after"),
    "the first checkpoint on the way is written": (RaterFolder, "keep", "before"),
    "the replay goes on after it": (RaterFolder, "keep", "after"),
    "the parts are to be written": ("writer", "append", "before"),
    "all parts are written": ("writer", "append", "after"),
    "what is known is to be saved": (RaterFolder, "save", "before"),
    "the manifest is to be replaced": (folders, "write_manifest", "before"),
    "what is known is saved": (RaterFolder, "save", "after"),
}
WRITERS: Final = {"postgres": PostgresVerdictWriter, "kafka": KafkaVerdictWriter}


class Trap:
    """Kills the process at an instant, once it is set."""

    def __init__(self) -> None:
        self.is_set = False

    def spring(self) -> None:
        if self.is_set:
            os.kill(os.getpid(), signal.SIGKILL)

    def lay(self, owner: Any, name: str, when: str) -> None:
        """Put the trap before or after a function of a class or module."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def trapped(*arguments: Any, **named: Any) -> Any:
            if when == "before":
                self.spring()
            result = original(*arguments, **named)
            if asyncio.iscoroutine(result):
                return self._awaited(result, when)
            if when == "after":
                self.spring()
            return result

        setattr(owner, name, trapped)

    async def _awaited(self, result: Awaitable[Any], when: str) -> Any:
        awaited = await result
        if when == "after":
            self.spring()
        return awaited


async def rate(adapter: str, address: str, dsn: str, folder: str, instant: str) -> None:
    """Rate until the instant comes, or forever if there is none of that name."""
    trap = Trap()
    if instant in INSTANTS:
        owner, name, when = INSTANTS[instant]
        trap.lay(WRITERS[adapter] if owner == "writer" else owner, name, when)

    def tell(_: Progress) -> None:
        if not trap.is_set:
            print("started", flush=True)  # noqa: T201 - the test reads it.
            trap.is_set = True

    async with LOGS[adapter](address, dsn) as (facts, verdicts):
        await run_rater(
            facts,
            verdicts,
            holder="one",
            engine=ENGINE,
            folder=Path(folder),
            pace=PACE,
            tell=tell,
        )


@asynccontextmanager
async def on_postgres(_: str, dsn: str) -> AsyncIterator[tuple[Log, VerdictLog]]:
    bell = Bell()
    async with (
        await open_pool(dsn, application_name="mahjic rater", size_max=5) as pool,
        listening(pool, bell, (FACTS_CHANNEL, VERDICTS_CHANNEL)),
    ):
        yield PostgresFactLog(pool, bell), PostgresVerdictLog(pool, bell)


@asynccontextmanager
async def on_kafka(address: str, dsn: str) -> AsyncIterator[tuple[Log, VerdictLog]]:
    server, prefix = address.split("/")
    cluster = a_cluster(server, prefix)
    async with (
        await open_pool(dsn, application_name="mahjic rater", size_max=5) as pool,
        KafkaFactLog(cluster, LOG_ID) as facts,
        KafkaVerdictLog(cluster, LOG_ID, pool) as verdicts,
    ):
        yield facts, verdicts


LOGS: Final[dict[str, Callable[[str, str], Any]]] = {"postgres": on_postgres, "kafka": on_kafka}


if __name__ == "__main__":
    asyncio.run(rate(*sys.argv[1:]))
