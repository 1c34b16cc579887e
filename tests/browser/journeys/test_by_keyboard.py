"""People who use the keyboard alone get everywhere, in a sensible order, and see where they are."""

import re

from playwright.async_api import Browser, expect

from tests.browser.journeys.sums import follow
from tests.browser.keyboard import WHERE, check_order, tab_and_enter, tab_to
from tests.browser.town import ALICE, Town
from tests.browser.townsfolk import SEVERAL
from tests.browser.visitors import DESKTOP, PHONE, visiting

HANNAH = "hannah@example.com"


def pages(town: Town) -> list[str]:
    """Return a page of each kind, with everything on it that keys can reach."""
    return [
        "/",
        "/leaderboard?page=2",
        "/sources",
        town.page(HANNAH),
        town.newest_change(ALICE),
        f"/compare/{town.ids[ALICE]}/{town.ids[HANNAH]}",
        f"/compare?one={SEVERAL}&other={SEVERAL}",
    ]


async def test_every_page_is_gone_through_in_the_order_in_which_it_is_read(
    browser: Browser, town: Town
) -> None:
    # A board is long, and on a phone it is the same table.
    tried = pages(town)
    for device, paths in ((DESKTOP, [*tried, f"/find?q={SEVERAL}"]), (PHONE, tried[3:6])):
        async with visiting(browser, town.url, device) as visitor:
            for path in paths:
                await visitor.go(path)
                await check_order(visitor.page)


async def test_the_first_key_skips_the_navigation(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        for path in pages(town):
            await visitor.go(path)
            await page.keyboard.press("Tab")
            link = page.get_by_role("link", name="Skip to the page")
            await expect(link).to_be_focused()
            assert (await page.evaluate(WHERE))["isSeen"]
            # Nothing covers it.
            await link.click(trial=True)
            await page.keyboard.press("Enter")
            await expect(page.get_by_role("main")).to_be_focused()
            await page.keyboard.press("Tab")
            inside = "document.querySelector('main').contains(document.activeElement)"
            assert await page.evaluate(inside), path


async def test_from_the_board_to_the_reason_of_a_round(browser: Browser, town: Town) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await visitor.go("/leaderboard")
        around = page.get_by_role("navigation", name="Pages")
        names = page.get_by_role("table").get_by_role("rowheader").get_by_role("link")
        total, seen = await page.get_by_text(re.compile(r"^\d+ players with")).inner_text(), 0
        while True:
            seen += await names.count()
            following = around.get_by_role("link", name="Next")
            if not await following.count():
                break
            await tab_and_enter(page, following)
            await page.wait_for_url(f"**/leaderboard?page={seen // 50 + 1}")
        assert total.startswith(f"{seen} players"), total
        await tab_and_enter(page, around.get_by_role("link", name="Previous"))
        await page.wait_for_url("**/leaderboard")
        name = town.name(HANNAH)
        await tab_and_enter(page, names.filter(has_text=name))
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)
        session = page.get_by_role("region", name="Sessions").get_by_role("group").first
        await tab_and_enter(page, session.locator("summary"))
        why = session.get_by_role("link", name=re.compile(r"^Why\? Round 1"))
        told = re.search(r": (\S+)$", await why.inner_text())
        await tab_and_enter(page, why)
        await expect(page.get_by_role("heading", level=1)).to_contain_text(f"Why {name}")
        change = await follow(page)
        assert told is not None
        assert f"{change:+.0f}".replace("-", "−") == told[1]
        await tab_and_enter(page, page.get_by_role("link", name=f"← {name}"))
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)


async def test_a_player_is_found_and_compared_by_keyboard_alone(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await visitor.go("/")
        await tab_to(page, page.get_by_role("searchbox"))
        await page.keyboard.type("Alice")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/find?q=Alice")
        await tab_and_enter(page, page.get_by_role("link", name=re.compile("Alice")))
        await expect(page.get_by_role("heading", level=1)).to_have_text(town.name(ALICE))
        await tab_and_enter(page, page.get_by_role("link", name=re.compile("Compare with")))
        await tab_to(page, page.get_by_role("searchbox", name="Second player"))
        await page.keyboard.type("Hannah")
        await page.keyboard.press("Enter")
        await tab_and_enter(page, page.get_by_role("link", name=re.compile("Hannah")))
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Hannah")
