"""A club for the tests of what staff read."""

from datetime import UTC, datetime

import pytest

from tests.conftest import Database
from tests.verification.staff.club import Club, a_club

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def club(database: Database) -> Club:
    return await a_club(database.pool, NOW)
