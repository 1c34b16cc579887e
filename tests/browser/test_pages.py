"""Every page is fit for everybody: on a phone and at a desk, in the light and in the dark."""

from collections.abc import Callable

import pytest
from playwright.async_api import Browser

from tests.browser import townsfolk as folk
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.town import ALICE, Town
from tests.browser.visitors import DARK_DESKTOP, PHONE, PLAIN_PHONE, visiting

CHINESE = "chinese@example.org"
Path = Callable[[Town], str]
PAGES: dict[str, Path] = {
    "the front page": lambda _: "/",
    "the leaderboard": lambda _: "/leaderboard",
    "its second page": lambda _: "/leaderboard?page=2",
    "a page that it does not have": lambda _: "/leaderboard?page=900",
    "a leaderboard of a region": lambda _: "/leaderboard/midwest",
    "a leaderboard on which nobody is": lambda _: "/leaderboard/southwest",
    "the sources": lambda _: "/sources",
    "a source": lambda _: "/sources/tuesday-tiles",
    "a player of one session": lambda town: town.page(folk.ONCE),
    "a player of 2,000 sessions": lambda town: town.page(folk.OFTEN),
    "every rating of a player, one by one": lambda town: f"{town.page(ALICE)}/chart",
    "a player whose only session was voided": lambda town: town.page(folk.VOIDED),
    "a player whose peak was corrected": lambda town: town.page(folk.PEAK),
    "a Chinese name": lambda town: town.page("chinese@example.org"),
    "an Arabic name": lambda town: town.page("arabic@example.org"),
    "a name with combining marks": lambda town: town.page("marks@example.org"),
    "a name of 40 wide letters": lambda town: town.page(folk.WIDE),
    "nobody looked for": lambda _: "/find",
    "a wide name found": lambda _: "/find?q=WWWW",
    "several found": lambda _: "/find?q=a",
    "nobody found": lambda _: "/find?q=xyzzy",
    "what cannot be searched": lambda _: "/find?q=%20-%20",
    "a wide name compared": lambda town: f"/compare/{town.ids[folk.WIDE]}/{town.ids[CHINESE]}",
    "two compared who met often": lambda town: f"/compare/{town.ids[folk.OFTEN]}/{town.ids[ALICE]}",
    "two to choose": lambda _: "/compare",
    "why, with a wide name": lambda town: town.newest_change(folk.WIDE),
    "why, of a league night": lambda town: town.newest_change(ALICE),
    "why, of a correction": lambda town: town.newest_change(folk.VOIDED),
    "about": lambda _: "/about",
    "privacy": lambda _: "/privacy",
    "the formula": lambda _: "/formula",
    "developers": lambda _: "/developers",
}


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES.keys())
async def test_a_page_is_fit_for_everybody(browser: Browser, town: Town, path: Path) -> None:
    for device in (PHONE, DARK_DESKTOP):
        async with visiting(browser, town.url, device) as visitor:
            await visitor.go(path(town))
            await check_axe(visitor.page)
    async with visiting(browser, town.url, PLAIN_PHONE) as visitor:
        await visitor.go(path(town))
        await check_fits(visitor)
