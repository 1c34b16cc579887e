"""A site, and two browsers of two people, or of one."""

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI

from tests.accounts.people import House
from tests.conftest import Database
from tests.site.login.visiting import Visitor, a_browser, a_site
from tests.site.serving import ORIGIN


@pytest.fixture
def house(database: Database) -> House:
    """Return accounts on a fresh database."""
    return House(database.pool)


@pytest.fixture
def site(house: House) -> FastAPI:
    """Return the site of these accounts."""
    return a_site(house)


@pytest.fixture
async def visitor(site: FastAPI, house: House) -> AsyncIterator[Visitor]:
    """Return a browser."""
    async with a_browser(site, house, ORIGIN) as browser:
        yield browser


@pytest.fixture
async def elsewhere(site: FastAPI, house: House) -> AsyncIterator[Visitor]:
    """Return another browser, in another network."""
    async with a_browser(site, house, ORIGIN, "198.51.100.7") as browser:
        yield browser
