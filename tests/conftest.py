"""What holds for every test: a fresh migrated database for each that asks, laws without a clock."""

import itertools
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
from hypothesis import settings

from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.server.embedded import EmbeddedServer, embedded_server
from tests.folders import open_folder
from tests.the_run.signals import catch_ignored_signals

# Before anything is started that would inherit them.
catch_ignored_signals()

pytest_plugins = [
    "tests.kafka.fixtures",
    "tests.the_run.in_time",
    "tests.the_run.starting",
    "tests.the_run.logs_left",
    "tests.the_run.longest_first",
    "tests.the_run.untried",
    "tests.verification.stripe.fixtures",
]

# A busy machine can make any single example slow, which says nothing about the law under test.
settings.register_profile("mahjic", deadline=None, print_blob=True)
settings.load_profile("mahjic")

TEMPLATE = "mahjic_template"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Database:
    """A database of one test: its URL for programs, a pool for the test itself."""

    dsn: str
    pool: asyncpg.Pool


@pytest.fixture(scope="session")
def server_folder() -> Iterator[Path]:
    """Return a folder for the server that the tests share."""
    parent = open_folder()
    yield parent / "data"
    shutil.rmtree(parent)


@pytest.fixture(scope="session")
async def postgres_server(server_folder: Path) -> AsyncIterator[EmbeddedServer]:
    """Return the embedded server that all tests of a run share, with the migrated template."""
    async with embedded_server(server_folder, role="join") as server:
        admin = await asyncpg.connect(server.dsn)
        await admin.execute(f"CREATE DATABASE {TEMPLATE}")
        await admin.close()
        template = await asyncpg.connect(dsn_of(server, TEMPLATE))
        await migrate(template)
        await template.close()
        yield server


@pytest.fixture
async def database(postgres_server: EmbeddedServer) -> AsyncIterator[Database]:
    """Return a fresh migrated database."""
    async with fresh_database(postgres_server, template=TEMPLATE) as fresh:
        yield fresh


@pytest.fixture
def line_folder() -> Iterator[Path]:
    """Return a folder for the socket of a line that breaks.

    The path of a socket has at most 107 bytes, which the folders of pytest may exceed.
    """
    with tempfile.TemporaryDirectory(prefix="mahjic-line-", dir="/tmp") as folder:
        yield Path(folder)


@asynccontextmanager
async def fresh_database(server: EmbeddedServer, *, template: str) -> AsyncIterator[Database]:
    """Make a database like the template, and drop it afterward."""
    name = f"mahjic_test_{next(_numbers)}"
    admin = await asyncpg.connect(server.dsn)
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    dsn = dsn_of(server, name)
    pool = await open_pool(dsn, application_name="mahjic tests", size_max=10)
    try:
        yield Database(dsn, pool)
    finally:
        # A test may leave connections checked out, also those of programs that it killed.
        pool.terminate()
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


def dsn_of(server: EmbeddedServer, database_name: str) -> str:
    """Return the URL of another database on the same server."""
    return server.dsn.replace("@/mahjic?", f"@/{database_name}?")
