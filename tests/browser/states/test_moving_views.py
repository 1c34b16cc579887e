"""While ratings are added up, or a correction is worked in, pages say so."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser

from services.projections.views import all_views
from services.roles import SERVE, build_app
from services.wiring import table_service
from shared.db.server.embedded import EmbeddedServer
from shared.events.facts import SessionsVoided
from shared.feed.advancing import advance
from shared.feed.feed import read_live
from shared.settings import Settings
from tests.browser.looking import look_at_each, read
from tests.browser.visitors import DESKTOP, visiting
from tests.conftest import TEMPLATE, fresh_database
from tests.http.serving import serving
from tests.projections.conftest import World, a_world
from tests.projections.season import Round, mj
from tests.projections.told import ToldSeason
from tests.service import UNLIMITED
from tests.site.serving import serve_site

CORRECTING = "We are working in a correction right now."
BEING_BUILT = "This page is being put together"


@pytest.fixture(scope="module")
async def unbuilt(browser: Browser, postgres_server: EmbeddedServer) -> AsyncIterator[str]:
    """Return the address of a site whose views have never been built."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        service = table_service(Settings(page_limit_per_minute=UNLIMITED), database.pool)
        async with serving(build_app(service, SERVE), deadline_s=None) as served:
            yield f"http://127.0.0.1:{served.port}"


async def test_pages_say_that_they_are_being_put_together(browser: Browser, unbuilt: str) -> None:
    for words in (await look_at_each(browser, unbuilt, {"/": 503})).values():
        assert "Nothing is lost. Reload the page in a minute." in words
        assert "Look again" in words
    async with visiting(browser, unbuilt, DESKTOP) as visitor:
        for path in ("/leaderboard", "/sources", "/find?q=alice", f"/players/{mj(1)}"):
            assert (await read(visitor, path, status=503)).startswith(BEING_BUILT), path


@dataclass(frozen=True, slots=True)
class Corrected:
    """A season in the middle of a correction, and the address of its site."""

    world: World
    home: str
    people: Sequence[str]

    @property
    def pages(self) -> Sequence[str]:
        """All pages with numbers that are being corrected."""
        one, other, *_ = self.people
        return (
            "/",
            "/leaderboard",
            "/sources",
            "/sources/club",
            f"/players/{one}",
            f"/players/{one}/chart",
            f"/compare/{one}/{other}",
            "/find?q=MJ-0",
        )

    async def take_in_a_part(self) -> None:
        """Let the views take in one more part of the correction."""
        views = {view.name: view for view in all_views()}
        builds = await read_live(self.world.pool, views)
        await advance(self.world.pool, self.world.season.log, builds, views, records_max=1)


@pytest.fixture(scope="module")
async def corrected(browser: Browser, postgres_server: EmbeddedServer) -> AsyncIterator[Corrected]:
    """Return a season whose first night is just being taken out, in two parts."""
    async with fresh_database(postgres_server, template=TEMPLATE) as database:
        season = ToldSeason(database.pool, players_in_part=2)
        world = await a_world(season)
        club = await season.source("club")
        people = [await season.player(number, source=club) for number in range(1, 5)]
        nights = [
            await season.play(club, Round(dict(zip(people, (4, 3, 2, 1), strict=True))))
            for _ in range(2)
        ]
        await world.follow()
        await season.tell(SessionsVoided((nights[0][0],), "not_played"))
        async with serving(serve_site(world), deadline_s=None) as served:
            yield Corrected(world, f"http://127.0.0.1:{served.port}", people)


async def test_pages_say_that_a_correction_is_being_worked_in(
    browser: Browser, corrected: Corrected
) -> None:
    await corrected.take_in_a_part()
    told = await look_at_each(browser, corrected.home, dict.fromkeys(corrected.pages, 200))
    for path, words in told.items():
        assert CORRECTING in words, path
    await corrected.take_in_a_part()
    async with visiting(browser, corrected.home, DESKTOP) as visitor:
        for path in corrected.pages:
            assert CORRECTING not in await read(visitor, path), path
