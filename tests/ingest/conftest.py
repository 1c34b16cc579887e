"""A founded database or a running service for each test that asks for one."""

import random
from collections.abc import AsyncIterator

import asyncpg
import pytest

from shared.db.server.embedded import EmbeddedServer
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.ingest.guests import Guest
from tests.ingest.office import found, ids_and_times_of
from tests.service import RunningService, running_service


@pytest.fixture
def pool(office: Database) -> asyncpg.Pool:
    """Return the pool of a founded database."""
    return office.pool


@pytest.fixture
async def office(database: Database) -> Database:
    """Return a founded database."""
    await found(database.pool, ids_and_times_of(random.Random(1)))
    return database


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    """Return a running service on a fresh database."""
    async with running_service(database) as running:
        yield running


@pytest.fixture(scope="module")
async def shared_service(postgres_server: EmbeddedServer) -> AsyncIterator[RunningService]:
    """Return a running service that the tests of a file share; read `tests.ingest.guests`."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        # A busy machine is not what is tested.
        running_service(database, sheet_s_max=100, wait_s_default=30) as running,
    ):
        yield running


@pytest.fixture
def guest(shared_service: RunningService) -> Guest:
    """Return a guest of the service that the tests of a file share."""
    return Guest(shared_service)
