"""A club's players and standings on a small phone, and on paper."""

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from services.cli.demo.people import CLUB
from tests.browser.logging_in import (
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.town import Town
from tests.browser.visitors import DARK_PHONE, PLAIN_DESKTOP, Device, Visitor, visiting
from tests.site.desk.test_night import as_sent

SMALL_PHONE = replace(DARK_PHONE, name="small dark phone", width=320, height=640)
SCREENS = [SMALL_PHONE, PLAIN_DESKTOP]


async def words(page: Page) -> str:
    """Return what can be read on a page as it is shown now."""
    return " ".join((await page.locator("body").inner_text()).split())


async def look_through_players(visitor: Visitor) -> None:
    """Go through the list of the club, add somebody, and open another."""
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/players")
    await look_at(visitor)
    await page.get_by_role("link", name="Add a player").click()
    await look_at(visitor)
    await page.get_by_label("Name").fill("Zoë")
    await page.get_by_label("Email address").fill("nonsense")
    await slip(visitor, "Add")
    await page.get_by_label("Email address").fill("zoe@example.com")
    await page.get_by_role("button", name="Add", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("Added.")
    await page.get_by_role("link", name="Dave").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Dave")
    await look_at(visitor)


async def rank_standings(visitor: Visitor) -> None:
    """Open the standings, and rank them one way and another."""
    page = visitor.page
    await page.get_by_role("link", name="Standings").click()
    await page.get_by_role("link", name="From the beginning").click()
    rows = page.get_by_role("row")
    await expect(rows).to_have_count(8)
    await look_at(visitor)
    await page.get_by_role("link", name="Rating change").click()
    await look_at(visitor)
    await page.get_by_role("link", name="Points").click()


async def print_standings(visitor: Visitor, picture: Path) -> None:
    """Print them, and once more with private players."""
    page = visitor.page
    rows = page.get_by_role("row")
    # On paper there are neither links to press nor private players.
    await page.emulate_media(media="print")
    await expect(rows).to_have_count(7)
    paper = await words(page)
    assert "Alice" in paper
    for left_out in ("Dave", "Enter a night", "Ranked by", "Show", "spreadsheet", "Log in"):
        assert left_out not in paper
    # Ink on paper is dark, whatever the screen is like.
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    assert await page.evaluate(scheme) == "light"
    await page.screenshot(path=picture, full_page=True)
    await page.emulate_media(media="screen")
    await page.get_by_label("Also print private players").check()
    await page.get_by_role("button", name="Show").click()
    await look_at(visitor)
    await page.emulate_media(media="print")
    await expect(rows).to_have_count(8)
    paper = await words(page)
    assert "Dave" in paper
    assert "Rating change" not in paper
    await page.emulate_media(media="screen")


async def open_the_rest(visitor: Visitor) -> None:
    """Open the board, days without a night, and days that are none."""
    page = visitor.page
    await page.get_by_role("link", name="See your board").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Your board")
    await look_at(visitor)
    await visitor.go(f"/desk/{CLUB}/standings?from=2020-01-01&to=2020-01-02")
    await look_at(visitor)
    await visitor.go(f"/desk/{CLUB}/standings?from=x&to=", status=422)
    await look_at(visitor)


@pytest.mark.parametrize("device", SCREENS, ids=lambda device: device.name)
async def test_players_and_standings_on_a_phone_and_on_paper(
    browser: Browser,
    club_town: Town,
    device: Device,
    tmp_path: Path,
) -> None:
    answer = await club_town.client.post(
        "/v1/sessions", json=as_sent(), headers=club_town.sources[CLUB]
    )
    assert answer.status_code == 201, answer.text
    async with visiting(browser, club_town.url, device) as visitor:
        await log_in_by_code(visitor, club_town)
        await look_through_players(visitor)
        await rank_standings(visitor)
        await print_standings(visitor, tmp_path / "standings.png")
        await open_the_rest(visitor)
