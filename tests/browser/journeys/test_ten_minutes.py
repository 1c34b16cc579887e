"""A developer starts from nothing, and has a rating, an event and a widget by the page alone."""

import re
import shutil
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Browser, expect

from tests.browser.axe import check_axe
from tests.browser.embeds.elsewhere import Reader, a_club, reading
from tests.folders import open_folder
from tests.processes import serving
from tests.site.serving import name_of_site
from tests.site.words.html import ReadPage
from tests.site.words.ten_minutes import follow_ten_minutes

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


async def test_a_developer_goes_from_nothing_to_a_rating_an_event_and_a_widget(
    browser: Browser, tmp_path: Path
) -> None:
    parent = open_folder()
    try:
        async with (
            serving({"MAHJIC_DATA": str(parent / "data")}, "--sandbox") as served,
            reading(browser) as reader,
        ):
            url = name_of_site(served.url)
            key = await make_source(reader, url)
            async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
                page = ReadPage((await client.get("/developers")).text)

            async def put_on_page(lines: str) -> None:
                async with a_club(url) as club:
                    club.pages["/"] = f'<!doctype html><html lang="en"><body>{lines}</body></html>'
                    await reader.page.goto(club.url)
                    await expect(reader.page.get_by_text("1556")).to_be_visible()

            await follow_ten_minutes(page, tmp_path, key, put_on_page=put_on_page)
    finally:
        shutil.rmtree(parent)


async def make_source(reader: Reader, url: str) -> str:
    """Make a source at the page of the sandbox, and return its key."""
    page = reader.page
    await page.goto(f"{url}/developers")
    await page.get_by_role("link", name="make a source", exact=True).click()
    await check_axe(page)
    await page.get_by_label("Name of your club").fill("Lakeside")
    await page.get_by_label("Made-up email address").fill("carol@example.com")
    await page.get_by_role("button", name="Make it, and show its key").click()
    shown = page.get_by_text(re.compile(r"^mjt_[0-9A-Za-z]{43}$"))
    await expect(shown).to_be_visible()
    await check_axe(page)
    return await shown.inner_text()
