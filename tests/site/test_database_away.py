"""While the database is away, or stands still, pages say so, and say it in time."""

import asyncio
import contextlib
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest

from services.ports import PAGE_READ_S_MAX
from tests.chaos.system import living_postmaster_in, postgres_in, stopped
from tests.folders import open_folder
from tests.log.deadlines import until
from tests.processes import serving
from tests.site.serving import HTML, name_of_site

pytestmark = pytest.mark.starts_servers

PAGES = ["/", "/leaderboard", "/sources", "/find?q=alice", "/players/MJ-0000001Y", "/formula"]
# They say what they say without the database.
ALWAYS = ["/about", "/privacy", "/developers", "/manifest.webmanifest"]
BREAK = "<h1>Mahjic is taking a short break</h1>"


@pytest.fixture
def folder() -> Iterator[Path]:
    folder = open_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
async def browser(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Return a browser that looks at a whole service, which has shown its pages once."""
    async with (
        serving({"MAHJIC_DATA": str(folder), "MAHJIC_PAGE_LIMIT_PER_MINUTE": "100000"}) as served,
        # A page that took longer than a reader waits would end the test.
        httpx.AsyncClient(
            base_url=name_of_site(served.url),
            headers=HTML,
            timeout=3 * PAGE_READ_S_MAX,
            trust_env=False,
        ) as browser,
    ):
        for page in PAGES:
            await until_shown(browser, page)
        yield browser


async def until_shown(browser: httpx.AsyncClient, page: str) -> None:
    """Wait until a page is there again, or says that its player isn't."""

    async def is_shown() -> bool:
        return (await browser.get(page)).status_code in {200, 404}

    await until(is_shown)


async def assert_pages_say_so(browser: httpx.AsyncClient) -> None:
    for page, answer in zip(PAGES, await asyncio.gather(*map(browser.get, PAGES)), strict=True):
        assert (answer.status_code, BREAK in answer.text) == (503, True), page
        assert "Reload the page in a minute." in answer.text
        assert re.search(r'<link rel="stylesheet" href="(/static/[^"]+)"', answer.text)
    for page in ALWAYS:
        assert (await browser.get(page)).status_code == 200, page


async def test_a_database_that_stands_still_is_told_in_time_and_forgotten(
    folder: Path, browser: httpx.AsyncClient
) -> None:
    with contextlib.ExitStack() as standing:
        for process in postgres_in(folder):
            standing.enter_context(stopped(process))
        await assert_pages_say_so(browser)
    for page in PAGES:
        await until_shown(browser, page)


async def test_a_database_that_is_gone_is_told_at_once(
    folder: Path, browser: httpx.AsyncClient
) -> None:
    postmaster = await living_postmaster_in(folder)
    with stopped(postmaster):
        # Its processes are gone, and it cannot start others.
        for process in postgres_in(folder):
            if process != postmaster:
                process.kill()
        await assert_pages_say_so(browser)
    for page in PAGES:
        await until_shown(browser, page)
