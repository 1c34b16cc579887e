"""Somebody copies the lines of a board, puts them into a page of a club, and sees the board."""

import pytest
from playwright.async_api import Browser, expect

from tests.browser.embeds.elsewhere import a_club, reading
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, visiting

CHOSEN = "/developers/embed?source=tuesday-tiles"


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        ("A leaderboard, with a script", "mahjic-leaderboard tbody tr"),
        ("A leaderboard, in a frame", "tbody tr"),
    ],
)
async def test_the_lines_that_are_copied_show_the_board(
    browser: Browser, town: Town, form: str, shown: str
) -> None:
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await visitor.go(CHOSEN)
        await expect(page.locator("mahjic-leaderboard tbody tr").first).to_be_visible()
        here = page.locator(f"div:has(> pre[aria-label='{form}']) + p")
        await here.get_by_role("button", name="Copy").click()
        await expect(here.get_by_role("status")).to_have_text("Copied.")
        lines = await page.evaluate("navigator.clipboard.readText()")
    # The lines name the service by its public address, which is another one in this test.
    lines = lines.replace(town.running.service.process.origin.url, town.url)
    async with a_club(town.url) as club, reading(browser) as reader:
        body = lines.replace(' style="border: 0"', "")
        await reader.page.goto(club.shows(body, "/board"))
        inside = reader.page.frame_locator("iframe") if "frame" in form else reader.page
        await expect(inside.locator(shown).first).to_contain_text("Bob Bennett")


async def test_no_other_page_is_shown_in_a_frame(browser: Browser, town: Town) -> None:
    async with a_club(town.url) as club, reading(browser) as reader:
        for path, is_shown in (("/embed/calculator", True), ("/leaderboard", False)):
            body = f'<iframe title="Mahjic" src="{town.url}{path}"></iframe>'
            await reader.page.goto(club.shows(body))
            heading = reader.page.frame_locator("iframe").get_by_role("heading", level=1)
            await expect(heading).to_have_count(int(is_shown))
        assert "frame-ancestors" in reader.faults.pop()
