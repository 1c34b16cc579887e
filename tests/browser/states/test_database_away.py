"""While the database is away, people read that Mahjic takes a break, and then go on reading."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from shared.db.pool import open_pool
from tests.browser.looking import look_at_each, read
from tests.browser.visitors import PLAIN_PHONE, visiting
from tests.conftest import Database
from tests.http.serving import serving
from tests.log.postgres.broken_line import BrokenLine, broken_line
from tests.projections.conftest import a_world
from tests.projections.season import Season, mj
from tests.site.serving import serve_site

SOCKET = ".s.PGSQL.5432"
AWAY = "Mahjic is taking a short break"
# Each asks the database in a way of its own.
PAGES = ("/", "/sources", "/find?q=alice", "/compare?one=alice", f"/players/{mj(1)}", "/formula")


@dataclass(frozen=True, slots=True)
class Line:
    """The only way from a site to its database."""

    line: BrokenLine
    folder: Path
    home: str

    def cut(self) -> None:
        """Cut every connection, and let nobody connect."""
        (self.folder / SOCKET).rename(self.folder / "away")
        self.line.cut()

    def mend(self) -> None:
        """Let everybody connect again."""
        (self.folder / "away").rename(self.folder / SOCKET)


@pytest.fixture
async def line(browser: Browser, database: Database, line_folder: Path) -> AsyncIterator[Line]:
    """Return the line between a site, in which nobody has played, and its database."""
    async with broken_line(database.dsn, line_folder) as (line, dsn):
        pool = await open_pool(dsn, application_name="mahjic tests line", size_max=5)
        try:
            app = serve_site(await a_world(Season(pool)))
            async with serving(app, deadline_s=None) as served:
                yield Line(line, line_folder, f"http://127.0.0.1:{served.port}")
        finally:
            pool.terminate()


async def test_a_database_that_is_away_is_told_until_it_is_back(
    browser: Browser, line: Line
) -> None:
    line.cut()
    told = await look_at_each(browser, line.home, {"/leaderboard": 503, "/about": 200})
    assert told["/leaderboard"].startswith(AWAY)
    assert "Nothing is lost" in told["/leaderboard"]
    assert "Reload the page in a minute." in told["/leaderboard"]
    async with visiting(browser, line.home, PLAIN_PHONE) as visitor:
        for path in PAGES:
            assert (await read(visitor, path, status=503)).startswith(AWAY), path
        await visitor.go("/leaderboard", status=503)
        line.mend()
        visitor.status = 200
        await visitor.page.get_by_role("link", name="Look again").click()
        await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("Leaderboard")
