"""Applicants and staff for each test that asks."""

import pytest

from tests.accounts.people import House
from tests.applications.applicants import Bureau
from tests.conftest import Database


@pytest.fixture
def bureau(database: Database) -> Bureau:
    """Return a house of accounts that applications come to."""
    return Bureau(House(database.pool))
