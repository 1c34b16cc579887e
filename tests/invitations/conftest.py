"""A town for each test that asks, on a service of its own."""

import io
from collections.abc import AsyncIterator

import pytest

from shared.http.logs import configure_logs
from tests.conftest import Database
from tests.invitations.town import Town
from tests.service import running_service


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    configure_logs(stream=io.StringIO())


@pytest.fixture
async def town(database: Database) -> AsyncIterator[Town]:
    """Return a town on a fresh database."""
    async with running_service(database, wait_s_default=30) as service:
        yield Town(service, await service.operator_key())
