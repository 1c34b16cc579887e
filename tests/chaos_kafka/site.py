"""Mahjic on a Kafka and a PostgreSQL of its own, every process kept running by a supervisor."""

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import asyncpg
import psutil  # type: ignore[import-untyped]
from pydantic import SecretStr

from shared.db.away import DATABASE_AWAY
from shared.db.pool import DatabaseUnreachable, open_pool
from shared.db.server.embedded import EmbeddedServer, embedded_server
from shared.settings import Settings
from tests.chaos.by_hand import Logs, read_log_id, read_table
from tests.chaos.place import UNLIMITED
from tests.chaos.site import VIEWS_SHOW_ALL, keys_of_a_fresh
from tests.chaos.system import kill, living_postmaster_in, postgres_in
from tests.chaos_kafka.starting import Starter, a_starter
from tests.chaos_kafka.supervisor import Supervised
from tests.chaos_kafka.topics import once, read_topic
from tests.kafka.broker import Broker, free_ports
from tests.log.deadlines import until
from tests.processes import launch, mahjic

PREFIX = "chaos"
# What each process is called, and its command; only of ingest there are several at work.
PROCESSES = {
    "ingest 1": "ingest",
    "ingest 2": "ingest",
    "relay": "relay",
    "rater": "rater",
    "projections": "projections",
    "read": "read",
}
PAUSE_S_MAX = 3.0
# An orchestrator starts at once what has ended, or after a moment.
RESTART_PAUSES_S = (0.0, 0.2)


@dataclass
class KafkaSite:
    """A PostgreSQL, a Kafka, the processes of Mahjic, and the keys to them."""

    folder: Path
    dsn: str
    broker: Broker
    environment: Mapping[str, str]
    keys: Mapping[str, str]
    processes: Mapping[str, Supervised]
    starter: Starter
    pause_s_max: float = PAUSE_S_MAX
    _turns: Iterator[int] = field(default_factory=itertools.count)
    _seconds: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def facts_topic(self) -> str:
        """The topic that facts are copied to."""
        return f"{PREFIX}.facts"

    @property
    def verdicts_topic(self) -> str:
        """The topic that verdicts are written to."""
        return f"{PREFIX}.verdicts"

    def url_for(self, method: str) -> str:
        """Return where a reverse proxy sends requests of a method; to each ingest in its turn."""
        if method in {"GET", "HEAD"}:
            return self.processes["read"].url
        return self.processes[f"ingest {next(self._turns) % 2 + 1}"].url

    async def run(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start another command of `mahjic` on the site, and return its process."""
        return await launch(self.environment, *arguments, stderr=asyncio.subprocess.STDOUT)

    async def living_postmaster(self) -> psutil.Process:
        """Wait until PostgreSQL is there, which it may just not be, and return its process."""
        return await living_postmaster_in(self.folder)

    def ends(self) -> Counter[str]:
        """Count the ends so far, by process and by what each ended with."""
        return Counter(
            f"{name}: {end.reason or end.exit_code}"
            for name, process in self.processes.items()
            for end in process.ends
        )

    def assert_alive(self) -> None:
        """Fail if a process has ended for a reason that no fault explains."""
        for name, process in self.processes.items():
            assert_explained(name, process)

    @asynccontextmanager
    async def second(self, command: str, *, is_killed: bool) -> AsyncIterator[Supervised]:
        """Keep another process of a command running, as if by mistake, while the context is open.

        Then it is killed, or ends in good order.
        """
        name = f"{next(self._seconds)} more {command}"
        process = _process(
            self.environment,
            self.folder.parent,
            self.starter,
            name=name,
            command=command,
            pause_s=RESTART_PAUSES_S[1],
        )
        async with process.running(is_killed=is_killed):
            yield process
        assert_explained(name, process)

    @asynccontextmanager
    async def database(self) -> AsyncIterator[asyncpg.Pool]:
        """Give connections to the database."""
        pool = await open_pool(self.dsn, application_name="tests", size_max=5)
        try:
            yield pool
        finally:
            pool.terminate()

    async def settled(self) -> None:
        """Wait until the views show every fact."""

        async def is_settled() -> bool:
            with contextlib.suppress(DatabaseUnreachable, *DATABASE_AWAY):
                async with self.database() as pool:
                    return bool(await pool.fetchval(VIEWS_SHOW_ALL))
            return False

        await until(is_settled)

    async def logs(self) -> Logs:
        """Return the facts of the table and the verdicts of the topic.

        The topic of facts must hold the same facts; some of them may have been copied twice.
        """
        async with self.database() as pool:
            facts, log_id = await read_table(pool, "facts"), await read_log_id(pool)
        copied = await read_topic(self.broker.address, self.facts_topic)
        print(f"{len(copied)} records on the topic of facts for {len(facts)} facts")  # noqa: T201
        assert once(copied) == facts
        verdicts = await read_topic(self.broker.address, self.verdicts_topic)
        print(f"{len(verdicts)} verdicts on their topic")  # noqa: T201
        return Logs(log_id, facts, verdicts)


def assert_explained(name: str, process: Supervised) -> None:
    """Fail if a process has ended for a reason that no fault explains."""
    for end in process.ends:
        assert end.is_explained, f"{name}: {end}\n{end.log_tail}"


@asynccontextmanager
async def a_kafka_site(place: Path, broker: Broker, **settings: str) -> AsyncIterator[KafkaSite]:
    """Run all processes on a fresh data folder and a fresh broker while the context is open.

    All of them must end in good order.
    """
    folder = place / "data"
    async with (
        _postgres(folder) as server,
        a_starter() as starter,
        AsyncExitStack() as running,
    ):
        environment = _environment(server.dsn, broker) | settings
        keys = await keys_of_a_fresh(Settings(database_url=SecretStr(server.dsn)))
        await mahjic(environment, "kafka", "init")
        pauses_s = itertools.cycle(RESTART_PAUSES_S)
        processes = {
            name: _process(
                environment, place, starter, name=name, command=command, pause_s=next(pauses_s)
            )
            for name, command in PROCESSES.items()
        }
        site = KafkaSite(folder, server.dsn, broker, environment, keys, processes, starter)
        for process in processes.values():
            await running.enter_async_context(process.running())
        with _logs_shown(site):
            await asyncio.gather(*(process.ready() for process in processes.values()))
            yield site
            await asyncio.gather(*(process.ready() for process in processes.values()))


def _environment(dsn: str, broker: Broker) -> dict[str, str]:
    return {
        **UNLIMITED,
        "MAHJIC_DATABASE_URL": dsn,
        # Nine processes share the hundred connections of the server.
        "MAHJIC_DATABASE_CONNECTIONS_MAX": "9",
        "MAHJIC_KAFKA_SERVERS": broker.address,
        "MAHJIC_KAFKA_PREFIX": PREFIX,
        "MAHJIC_KAFKA_REPLICATION": "1",
        # Whoever waits for ratings while they can't come only makes the test longer.
        "MAHJIC_WAIT_S_DEFAULT": "2",
        "MAHJIC_WAIT_S_MAX": "4",
    }


def _process(
    environment: Mapping[str, str],
    place: Path,
    starter: Starter,
    *,
    name: str,
    command: str,
    pause_s: float,
) -> Supervised:
    # Its port is its own after every start: by host and port it is known again.
    (port,) = free_ports(1)
    log = place / f"{name.replace(' ', '-')}.log"
    return Supervised(command, port, environment, log, pause_s, starter)


@asynccontextmanager
async def _postgres(folder: Path) -> AsyncIterator[EmbeddedServer]:
    """Run a PostgreSQL that is started again whenever it ends; nothing of it is left behind."""
    try:
        async with embedded_server(folder, role="serve") as server:
            yield server
    finally:
        for process in postgres_in(folder):
            kill(process)


@contextmanager
def _logs_shown(site: KafkaSite) -> Iterator[None]:
    """Print the ends of all logs when something fails."""
    try:
        yield
    except BaseException:
        for name, process in site.processes.items():
            print(f"--- {name}: {process.ends}\n{process.log_tail}")  # noqa: T201
        raise
