"""What people come for, from the front page on: with and without JavaScript, and by keyboard."""

import re
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.keyboard import tab_and_enter, tab_to
from tests.browser.town import ALICE, Town
from tests.browser.visitors import DESKTOP, DEVICES, Device, visiting

HUNDREDTH = Decimal("0.01")


def number(text: str) -> Decimal:
    """Return a number as pages write it."""
    return Decimal(re.sub(r"[,\s+±]", "", text).replace("−", "-"))


async def check_sum(page: Page) -> None:
    """Add up the first table of a page that says why, and compare with what stands below it."""
    table = page.get_by_role("table", name="All of it added up", exact=True)
    await expect(table).to_be_visible()
    rows = table.get_by_role("row")
    told: dict[str, Decimal] = {}
    gains: list[Decimal] = []
    for row in await rows.all():
        head = await row.get_by_role("rowheader").inner_text()
        value = number(await row.get_by_role("cell").inner_text())
        told[head.strip()] = value
        if "Sum" not in told:
            gains.append(value)
    assert len(gains) >= 1
    assert sum(gains) == told["Sum"], told
    opponents = 1 if "Rounded to hundredths" not in told else len(gains)
    is_divided = any(head.startswith("Divided by") for head in told)
    moved = told["Sum"] / (opponents if is_divided else 1)
    change = told.get("Rounded to hundredths", told.get("Change"))
    assert change == moved.quantize(HUNDREDTH, ROUND_HALF_EVEN), told
    assert told["Rating before"] + change == told["Rating after"], told


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_a_player_is_found_and_a_change_is_followed(
    browser: Browser, town: Town, device: Device
) -> None:
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await visitor.go("/")
        await page.get_by_role("searchbox").fill("Quinn")
        await page.get_by_role("button", name="Find").click()
        await page.get_by_role("link", name=re.compile("Quinn")).click()
        name = town.name("quinn@example.com")
        await expect(page.get_by_role("heading", level=1)).to_have_text(name)
        # Corrections stand in between, and have no rounds to open.
        sessions = page.get_by_role("region", name="Sessions")
        await sessions.locator("summary").first.click()
        await page.get_by_role("link", name=re.compile(r"^Why\? Round")).first.click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text(f"Why {name}")
        await check_sum(page)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_the_board_is_read_through_its_pages(
    browser: Browser, town: Town, device: Device
) -> None:
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await visitor.go("/leaderboard")
        seen: list[str] = []
        while True:
            links = page.get_by_role("table").get_by_role("rowheader").get_by_role("link")
            seen += [str(await each.get_attribute("href")) for each in await links.all()]
            following = page.get_by_role("navigation", name="Pages").get_by_role(
                "link", name="Next"
            )
            if not await following.count():
                break
            await following.click()
        answer = await town.client.get("/v1/leaderboard", params={"limit": 200})
        assert seen == [f"/players/{each['player_id']}" for each in answer.json()["players"]]
        assert len(seen) > 60


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
