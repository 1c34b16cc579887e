"""A service for each test that asks for one."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Database
from tests.service import RunningService, running_service


@pytest.fixture
async def service(database: Database) -> AsyncIterator[RunningService]:
    """Return a running service on a fresh database."""
    async with running_service(database) as running:
        yield running
