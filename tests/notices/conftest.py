"""A town for each test that asks, on a service of its own."""

from collections.abc import AsyncIterator

import pytest

from tests.conftest import Database
from tests.notices.town import NoticeTown
from tests.service import running_service


@pytest.fixture
async def town(database: Database) -> AsyncIterator[NoticeTown]:
    """Return a town on a fresh database."""
    async with running_service(database, wait_s_default=30) as service:
        yield NoticeTown(service, await service.operator_key())
