"""Whatever goes wrong, a page says so in plain words, leads on, and is fit for everybody."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from playwright.async_api import Browser, expect
from starlette.responses import Response

from services.site.kit.well_known import WELL_KNOWN_ROUTES
from shared.http.layers.gate import RequestLimits
from shared.http.routes import Route
from tests.browser import townsfolk as folk
from tests.browser.looking import look_at_each
from tests.browser.town import ALICE, Town
from tests.browser.visitors import PHONE, visiting
from tests.http.serving import serving
from tests.ids.mistyped import mistyped
from tests.projections.season import mj
from tests.site.serving import UNLIMITED, serve_pages

Path = Callable[[Town], str]
NO_PLAYER = "We can’t find that player", "look for the player by name"
TYPO = "That Mahjic ID has a typo", "Check each character"
ADDRESS = "That address isn’t quite right", "Go back"
LIST = "That page of the list is gone", "start from its top"
# By what is asked for: the status, the heading, and words that say what to do.
ERRORS: dict[str, tuple[Path, int, str, str]] = {
    "no such page": (lambda _: "/nothing", 404, "We can’t find that page", "the front page"),
    "a player who never was": (lambda _: f"/players/{mj(77)}", 404, *NO_PLAYER),
    "a private player": (lambda town: town.page(folk.HIDDEN), 404, *NO_PLAYER),
    "an ID with a typo": (lambda town: mistyped(town.page(ALICE)), 422, *TYPO),
    "an ID that is far too long": (lambda _: f"/players/{'W' * 70}", 422, *TYPO),
    "no such change": (
        lambda town: f"{town.page(ALICE)}/changes/{town.ids[ALICE]}.1.1",
        404,
        "We can’t find that change",
        "The sessions on the player’s page",
    ),
    "compared with a private player": (
        lambda town: f"/compare/{town.ids[ALICE]}/{town.ids[folk.HIDDEN]}",
        404,
        *NO_PLAYER,
    ),
    "no such source": (
        lambda _: "/sources/nobody",
        404,
        "We can’t find that club or platform",
        "See all clubs",
    ),
    "no such region": (
        lambda _: "/leaderboard/atlantis",
        404,
        "We can’t find that leaderboard",
        "See the leaderboard",
    ),
    "a filter that is no number": (
        lambda _: f"/leaderboard?page=0&min_games={'W' * 300}",
        422,
        *ADDRESS,
    ),
    "a link that was cut short": (lambda town: f"{town.page(ALICE)}?cursor=zz", 422, *LIST),
    "a link with more behind it": (lambda town: f"{town.page(ALICE)}?cursor=%20", 422, *LIST),
}
# Words for programmers, which no page for players shows.
FOREIGN = re.compile(r"\bnull\b|\bNone\b|[\[^]{2}|cursor|query|pointer|_id\b|\bHTTP\b|\b4\d\d\b")


async def test_an_error_is_a_page_for_everybody_that_says_what_to_do(
    browser: Browser, town: Town
) -> None:
    statuses = {path(town): status for path, status, *_ in ERRORS.values()}
    told = await look_at_each(browser, town.url, statuses)
    for path, _status, title, advice in ERRORS.values():
        words = told[path(town)]
        assert words.startswith(title), words
        assert advice in words
        assert not FOREIGN.search(words), words


async def test_a_private_player_and_one_who_never_was_get_the_same_page(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        pages = []
        for who in (mj(77), town.ids[folk.HIDDEN], town.ids[folk.ERASED]):
            await visitor.go(f"/players/{who}", status=404)
            pages.append(await visitor.page.content())
    assert len(set(pages)) == 1


async def test_an_error_leads_on(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        page = visitor.page
        await visitor.go("/sources/nobody", status=404)
        visitor.status = 200
        await page.get_by_role("link", name="See all clubs, leagues and platforms").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(
            "Clubs, leagues and platforms"
        )
        await visitor.go(f"/players/{mj(77)}", status=404)
        visitor.status = 200
        await page.get_by_role("searchbox").fill("Quinn")
        await page.get_by_role("button", name="Find").click()
        await page.get_by_role("link", name=re.compile("Quinn")).wait_for()
        await visitor.go("/nothing", status=404)
        visitor.status = 200
        await page.get_by_role("main").get_by_role("link", name="Go to the front page").click()
        await page.wait_for_url("**/")


async def fail() -> Response:
    """Fail as no page should."""
    raise RuntimeError("alice@example.com")


@asynccontextmanager
async def a_site(limits: RequestLimits) -> AsyncIterator[str]:
    """Serve a site with one page, which fails; give its address."""
    fault = Route("GET", "/fault", fail, ignores_unknown=True)
    app = serve_pages([fault, *WELL_KNOWN_ROUTES], limits=limits)
    async with serving(app, deadline_s=None) as served:
        yield f"http://127.0.0.1:{served.port}"


async def test_a_fault_of_ours_is_a_page_for_everybody(browser: Browser) -> None:
    async with a_site(UNLIMITED) as home:
        told = await look_at_each(browser, home, {"/fault": 500})
    words = told["/fault"]
    assert words.startswith("Something went wrong on our side")
    assert "Try again in a minute." in words
    assert re.search(r"Number of this request: [0-9a-f]{24}", words)
    assert "alice" not in words


async def test_who_opens_too_many_pages_is_told_to_wait(browser: Browser) -> None:
    async with a_site(replace(UNLIMITED, pages_per_minute=1)) as home:
        async with visiting(browser, home, PHONE) as visitor:
            await visitor.go("/fault", status=500)
        told = await look_at_each(browser, home, {"/fault": 429})
    words = told["/fault"]
    assert words.startswith("That was a little fast")
    assert "Wait a minute" in words
    assert "Look again" in words
