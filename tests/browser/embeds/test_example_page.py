"""The example of a page shows what it says, opened as a file, with a Mahjic that runs."""

from pathlib import Path

from playwright.async_api import Browser, expect

from tests.browser.axe import check_axe
from tests.browser.embeds.elsewhere import reading
from tests.browser.town import ALICE, Town
from tests.javascript.tools import ROOT

EXAMPLE = ROOT / "examples" / "page" / "index.html"
HOME, SOMEBODY = "https://mahjic.example.org", "MJ-7K3Q9XZM"


async def test_the_example_shows_a_rating_and_a_board(
    browser: Browser, town: Town, tmp_path: Path
) -> None:
    page = EXAMPLE.read_text()
    assert HOME in page
    assert SOMEBODY in page
    here = tmp_path / "index.html"
    here.write_text(page.replace(HOME, town.url).replace(SOMEBODY, town.ids[ALICE]))
    async with reading(browser) as reader:
        await reader.page.goto(here.as_uri())
        await expect(reader.page.locator("mahjic-leaderboard tbody tr")).to_have_count(5)
        player = reader.page.locator("mahjic-player")
        await expect(player.get_by_role("link", name="Alice Abrams")).to_be_visible()
        await check_axe(reader.page)


async def test_without_javascript_the_example_leads_to_mahjic(
    browser: Browser, town: Town, tmp_path: Path
) -> None:
    here = tmp_path / "index.html"
    here.write_text(EXAMPLE.read_text().replace(HOME, town.url))
    async with await browser.new_context(java_script_enabled=False) as context:
        page = await context.new_page()
        await page.goto(here.as_uri())
        led = page.get_by_role("link", name="Our leaderboard on Mahjic")
        assert await led.get_attribute("href") == f"{town.url}/sources/tuesday-tiles"
