"""A founded database or a running service for each test that asks for one."""

import random
from collections.abc import AsyncIterator

import asyncpg
import pytest

from tests.conftest import Database
from tests.ingest.office import chances_of, found
from tests.service import RunningService, running_service


@pytest.fixture
async def pool(database: Database) -> asyncpg.Pool:
    """Return the pool of a founded database."""
    await found(database.pool, chances_of(random.Random(1)))
    return database.pool


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    """Return a running service on a fresh database."""
    async with running_service(database) as running:
        yield running
