"""While pages don't show all that is on record, or half of a correction, they say so."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import pytest
from playwright.async_api import Browser

from services.projections.views import all_views
from services.role import build_app
from services.roles import SERVE
from services.site.kit.lateness import LATE_S, Lateness
from services.wiring import table_service
from shared.events.facts import SessionsVoided
from shared.feed.advancing import advance
from shared.feed.feed import read_live
from shared.settings import Settings
from tests.browser.looking import look_at_each, read
from tests.browser.visitors import DESKTOP, visiting
from tests.conftest import Database
from tests.http.serving import serving
from tests.projections.conftest import World, a_world
from tests.projections.season import Round, mj
from tests.projections.told import ToldSeason
from tests.service import UNLIMITED
from tests.site.serving import serve_site

CORRECTING = "We are working in a correction right now."
LATE = "Some new results aren’t counted here yet."
BEING_BUILT = "This page is being put together"


@pytest.fixture
async def unbuilt(browser: Browser, database: Database) -> AsyncIterator[str]:
    """Return the address of a site whose views have never been built."""
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
class Moving:
    """A season whose verdicts on the past have two parts, and the address of its site."""

    world: World
    lateness: Lateness
    home: str
    people: Sequence[str]
    first_night: str

    @property
    def pages(self) -> Sequence[str]:
        """All pages with numbers that may be about to change."""
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
        """Let the views take in one more part of a verdict."""
        views = {view.name: view for view in all_views()}
        builds = await read_live(self.world.pool, views)
        await advance(self.world.pool, self.world.season.log, builds, views, records_max=1)


@pytest.fixture
async def moving(browser: Browser, database: Database) -> AsyncIterator[Moving]:
    """Return a season of two nights."""
    season, lateness = ToldSeason(database.pool, players_in_part=2), Lateness()
    world = await a_world(season)
    club = await season.source("club")
    people = [await season.player(number, source=club) for number in range(1, 5)]
    won = dict(zip(people, (4, 3, 2, 1), strict=True))
    (first_night, _), _ = [await season.play(club, Round(won)) for _ in range(2)]
    await world.follow()
    async with serving(serve_site(world, lateness=lateness), deadline_s=None) as served:
        home = f"http://127.0.0.1:{served.port}"
        yield Moving(world, lateness, home, people, first_night)


async def test_pages_say_that_a_correction_is_being_worked_in(
    browser: Browser, moving: Moving
) -> None:
    await moving.world.season.tell(SessionsVoided((moving.first_night,), "not_played"))
    await moving.take_in_a_part()
    told = await look_at_each(browser, moving.home, dict.fromkeys(moving.pages, 200))
    for path, words in told.items():
        assert CORRECTING in words, path
        assert LATE not in words, path
    await moving.take_in_a_part()
    await check_says_nothing(browser, moving)


async def test_pages_say_that_they_are_behind_what_is_on_record(
    browser: Browser, moving: Moving
) -> None:
    async with visiting(browser, moving.home, DESKTOP) as visitor:
        before = await read(visitor, "/")
        await moving.world.season.play("club", Round(dict.fromkeys(moving.people, 3)))
        for now_s in (0.0, LATE_S):
            moving.lateness.look(1, 2, now_s)
        told = await look_at_each(browser, moving.home, {"/": 200})
        assert LATE in told["/"]
        for path in moving.pages:
            assert LATE in await read(visitor, path), path
        await moving.world.follow()
        moving.lateness.look(2, 2, LATE_S + 1)
        assert await read(visitor, "/") != before
    await check_says_nothing(browser, moving)


async def check_says_nothing(browser: Browser, moving: Moving) -> None:
    """Look whether pages show everything, and say so by saying nothing about it."""
    async with visiting(browser, moving.home, DESKTOP) as visitor:
        for path in moving.pages:
            words = await read(visitor, path)
            assert CORRECTING not in words, path
            assert LATE not in words, path
