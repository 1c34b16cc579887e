"""A house of accounts for each test that asks."""

import pytest

from tests.accounts.people import House
from tests.conftest import Database


@pytest.fixture
def house(database: Database) -> House:
    """Return accounts on a fresh database."""
    return House(database.pool)
