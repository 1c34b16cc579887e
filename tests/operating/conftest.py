"""A database with a season of rated sessions, as often as a test wants it, and Kafka settings."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import pytest
from pydantic import SecretStr

from shared.db.server.embedded import EmbeddedServer
from shared.log.port import Record
from shared.settings import Settings
from tests.conftest import TEMPLATE, Database, dsn_of, fresh_database
from tests.ingest.claims import Claim, a_round, a_session
from tests.kafka.broker import Broker
from tests.log.deadlines import until
from tests.service import RunningService, running_service

RATED = "mahjic_rated"
# Several batches of each log.
SESSIONS = 600
AT_ONCE = 100
SHOWN = """
SELECT rater.fact_seq = head.fact_seq AND
    (SELECT min(seq) FROM mahjic.view_builds) = rater.verdict_seq
FROM mahjic.rater CROSS JOIN mahjic.head
"""


def a_claim(number: int) -> Claim:
    """Return a session of its own for each number."""
    who = {f"p{number % 7}": 1 + number % 3, f"q{number % 11}": 1, f"r{number % 5}": 0}
    day = f"{2001 + number // 300}-{1 + number // 25 % 12:02}-{1 + number % 25:02}"
    return a_session(a_round(who), on=day)


async def play(service: RunningService, numbers: range) -> None:
    """Submit sessions, and wait until all of them are rated and shown."""
    key = await service.source_key()
    taken = asyncio.Semaphore(AT_ONCE)

    async def submit(number: int) -> None:
        async with taken:
            answer = await service.submit(a_claim(number), key)
            assert answer.status_code == 201, answer.text

    await asyncio.gather(*map(submit, numbers))
    await until(lambda: service.pool.fetchval(SHOWN))


@pytest.fixture(scope="session")
async def rated_template(postgres_server: EmbeddedServer) -> str:
    """Make a database with rated sessions once, for others to be made like it."""
    admin = await asyncpg.connect(postgres_server.dsn)
    await admin.execute(f"CREATE DATABASE {RATED} TEMPLATE {TEMPLATE}")
    await admin.close()
    dsn = dsn_of(postgres_server, RATED)
    pool = await asyncpg.create_pool(dsn, min_size=0, max_size=2)
    async with running_service(Database(dsn, pool)) as service:
        await play(service, range(SESSIONS))
    await pool.close()
    return RATED


@pytest.fixture
async def rated(postgres_server: EmbeddedServer, rated_template: str) -> AsyncIterator[Database]:
    """Return a database of one test, with rated sessions."""
    async with fresh_database(postgres_server, template=rated_template) as database:
        yield database


@dataclass(frozen=True, slots=True)
class Site:
    """A database, and a cluster for its logs."""

    database: Database
    settings: Settings

    @property
    def pool(self) -> asyncpg.Pool:
        return self.database.pool

    @property
    def environment(self) -> dict[str, str]:
        """The settings as variables, for programs."""
        assert self.settings.kafka_servers is not None
        return {
            "MAHJIC_DATABASE_URL": self.database.dsn,
            "MAHJIC_KAFKA_SERVERS": self.settings.kafka_servers,
            "MAHJIC_KAFKA_PREFIX": self.settings.kafka_prefix,
            "MAHJIC_KAFKA_REPLICATION": str(self.settings.kafka_replication),
        }

    async def table(self, log: str) -> list[Record]:
        """Return the records of a table."""
        rows = await self.pool.fetch(f"SELECT seq, chain, body FROM mahjic.{log} ORDER BY seq")
        return [Record(*row) for row in rows]


def settings_of(database: Database, broker: Broker, prefix: str, **more: object) -> Settings:
    """Return the settings of Kafka mode on one broker."""
    chosen: dict[str, object] = {
        "database_url": SecretStr(database.dsn),
        "kafka_servers": broker.address,
        "kafka_prefix": prefix,
        "kafka_replication": 1,
        **more,
    }
    return Settings(**chosen)  # type: ignore[arg-type]


@pytest.fixture
def site(rated: Database, kafka_broker: Broker, kafka_prefix: str) -> Site:
    """Return a database with rated sessions whose logs can move to Kafka."""
    return Site(rated, settings_of(rated, kafka_broker, kafka_prefix))
