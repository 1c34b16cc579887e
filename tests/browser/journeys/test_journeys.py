"""What people come for, from the front page on: on a phone and at a desk, with and without
JavaScript."""

import re

import pytest
from playwright.async_api import Browser, expect

from tests.browser.journeys.sums import follow
from tests.browser.town import Town
from tests.browser.visitors import DEVICES, Device, visiting


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
        await follow(page)


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
