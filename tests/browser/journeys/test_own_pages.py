"""People choose how they are seen, look at their results, and show their card, in a browser."""

import io

import pytest
import zxingcpp
from PIL import Image
from playwright.async_api import Browser, Page, expect

from tests.browser.logging_in import (
    ALICE,
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.town import Town
from tests.browser.visitors import DARK_PHONE, PHONE, PLAIN_DESKTOP, Device, Visitor, visiting
from tests.ingest.claims import a_round, a_session

DEVICES = [PHONE, PLAIN_DESKTOP, DARK_PHONE]
WIDE = "W" * 40


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_somebody_who_never_played_gets_an_id_and_a_card(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town, to="")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Do you play?")
        await look_at(visitor)
        await page.get_by_role("link", name="I play: get my Mahjic ID").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
        await look_at(visitor)
        await page.get_by_label("The name that others see").fill("A")
        await slip(
            visitor,
            "Get my Mahjic ID",
            page.get_by_role("alert").filter(has_text="at least 2 characters"),
        )
        await page.get_by_label("The name that others see").fill(WIDE)
        await page.get_by_role("button", name="Get my Mahjic ID").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(WIDE)
        await look_at(visitor)
        await page.get_by_role("link", name="My results", exact=True).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("My results")
        await look_at(visitor)
        await page.get_by_role("link", name="My card").click()
        await expect(page.get_by_role("img", name="QR code for MJ-")).to_be_visible()
        await look_at(visitor)


@pytest.mark.parametrize("device", DEVICES, ids=lambda device: device.name)
async def test_a_player_picks_a_name_goes_private_and_reads_why(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    await play_a_night(own_town)
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town, to="")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
        await look_at(visitor)
        await page.get_by_label("Alice Sampson").check()
        await page.get_by_role("button", name="Save, and go to my page").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Alice Sampson")
        await look_at(visitor)
        await page.get_by_role("link", name="Settings").click()
        await page.get_by_label("Nobody").check()
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("status")).to_have_text("Saved.")
        await look_at(visitor)
        await page.get_by_role("link", name="My page", exact=True).first.click()
        await expect(page.get_by_text("You are private.")).to_be_visible()
        await look_at(visitor)
        await visitor.go("/me/history")
        await page.locator("summary", has_text="Tuesday Tiles").click()
        await look_at(visitor)
        await page.get_by_role("link", name="Why?").click()
        await expect(page.get_by_role("heading", level=1)).to_contain_text("Why Alice Sampson")
        await look_at(visitor)
        await visitor.go("/me/chart")
        await look_at(visitor)
        await check_card(visitor, own_town)


async def play_a_night(town: Town) -> None:
    """Have a night rated, by a club that calls Alice by her name."""
    running = town.running
    key = await running.source_key("tuesday-tiles")
    night = a_session(a_round({ALICE: 2, "bo": 1, "cy": 0}, wall_games=1))
    assert (await running.submit(night, key)).status_code == 201
    await running.pool.execute(
        """UPDATE mahjic.acquaintances SET name = 'Alice Sampson' WHERE player_id =
        (SELECT player_id FROM mahjic.people WHERE email = $1)""",
        ALICE,
    )


async def check_card(visitor: Visitor, town: Town) -> None:
    """Fail if the card is not read in colors that a reader has chosen, and on paper."""
    page = visitor.page
    await visitor.go("/me/card")
    await look_at(visitor)
    who = await town.running.pool.fetchval(
        "SELECT player_id FROM mahjic.people WHERE email = $1", ALICE
    )
    await page.emulate_media(media="screen", forced_colors="active")
    assert await read_by_camera(page) == f"{town.url}/players/{who}"
    await page.emulate_media(media="print", forced_colors="none")
    await expect(page.get_by_role("heading", level=1)).to_be_hidden()
    await expect(page.get_by_role("link", name="Settings")).to_be_hidden()
    assert await read_by_camera(page) == f"{town.url}/players/{who}"


async def read_by_camera(page: Page) -> str:
    """Return what a camera reads that looks at the whole page."""
    with Image.open(io.BytesIO(await page.screenshot())) as picture:
        (code,) = zxingcpp.read_barcodes(picture.convert("RGB"))
    return str(code.text)
