"""A browser and a town for all tests of this room."""

import io
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from shared.db.server.embedded import EmbeddedServer
from shared.http.logs import configure_logs
from tests.browser import townsfolk
from tests.browser.axe import axe_source
from tests.browser.chromium import BrowserMissing, running_chromium
from tests.browser.town import ALICE, Town, empty_town, play_hard_cases, play_season
from tests.browser.visitors import WAIT_MS_MAX
from tests.conftest import TEMPLATE, fresh_database
from tests.javascript.skipping import not_tried
from tests.javascript.tools import NodeMissing

# As long as whatever else a page is waited for: on a busy machine five seconds are few.
expect.set_options(timeout=WAIT_MS_MAX)

# Long, and with few places where a line can break.
CONTACT = "ratings.committee@mahjong-players-of-the-hudson-valley.example.org"


@pytest.fixture(autouse=True)
def quiet_log() -> None:
    """Keep the log, with the local variables of every fault, out of the way."""
    configure_logs(stream=io.StringIO())


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """Return the browser that all tests share; skip the test if there is none."""
    try:
        axe_source()
        async with running_chromium() as running:
            yield running
    except (BrowserMissing, NodeMissing) as missing:
        not_tried(missing)


@pytest.fixture(scope="session")
async def town(browser: Browser, postgres_server: EmbeddedServer) -> AsyncIterator[Town]:
    """Return the town that all tests visit, once its pages show everything; none changes it."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        empty_town(database, contact=CONTACT) as running,
    ):
        await play_season(running)
        await play_hard_cases(running)
        await running.all_shown()
        await running.read_changes(ALICE, townsfolk.WIDE, townsfolk.VOIDED, townsfolk.PEAK)
        yield running


@pytest.fixture
async def own_town(browser: Browser, postgres_server: EmbeddedServer) -> AsyncIterator[Town]:
    """Return a town at localhost, where cookies and passkeys are bound to a name."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        empty_town(database) as town,
    ):
        port = int(town.url.rpartition(":")[2])
        town.running.service.process.origin.bind(port)
        town.url = f"http://localhost:{port}"
        yield town
