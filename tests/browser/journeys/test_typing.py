"""Who types a name sees at once whom it may mean, hears how many, and is never left with less."""

import asyncio
import re

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.browser.keyboard import tab_to
from tests.browser.town import ALICE, Town
from tests.browser.visitors import DESKTOP, PHONE, Device, Visitor, visiting
from tests.ids.mistyped import mistyped

HANNAH = "hannah@example.com"
BOTH = pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=lambda device: device.name)


def field_of(page: Page) -> Locator:
    """Return the field that is typed into, and that has the focus from the beginning."""
    return page.get_by_role("searchbox", name="Name or Mahjic ID")


async def come_to_type(visitor: Visitor) -> None:
    """Open the page, and wait until what is typed goes into the field."""
    await visitor.go("/find")
    await expect(field_of(visitor.page)).to_be_focused()


def found_on(page: Page) -> Locator:
    """Return the links to those who were found."""
    return page.get_by_role("main").get_by_role("listitem").get_by_role("link")


async def check_found(visitor: Visitor, town: Town, *people: str) -> None:
    """Fail unless exactly these are found, in any order, and counted aloud."""
    page, count = visitor.page, len(people)
    for who in people:
        await expect(page.locator(f"main li a[href='{town.page(who)}']")).to_be_visible()
    await expect(found_on(page)).to_have_count(count)
    said = f"{count} player found." if count == 1 else f"{count} players found."
    await expect(page.get_by_role("status")).to_have_text(said)


@BOTH
async def test_players_are_found_while_a_name_is_typed(
    browser: Browser, town: Town, device: Device
) -> None:
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await come_to_type(visitor)
        field = field_of(page)
        # Readers announce what changes in an element that they know: it has to stay.
        status = await page.get_by_role("status").element_handle()
        await page.keyboard.type("Hanna")
        await check_found(visitor, town, HANNAH)
        assert await page.evaluate("(status) => status.isConnected", status)
        assert visitor.path == "/find?q=Hanna"
        await expect(page).to_have_title(re.compile("“Hanna”"))
        await expect(field).to_be_focused()
        await page.keyboard.type("xyz")
        await expect(page.get_by_role("status")).to_have_text("Nobody found for “Hannaxyz”.")
        await expect(found_on(page)).to_have_count(0)
        for _ in "xyz":
            await page.keyboard.press("Backspace")
        await check_found(visitor, town, HANNAH)
        await tab_to(page, found_on(page))
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text(town.name(HANNAH))
        # Whoever goes back is where they were.
        await page.go_back()
        await expect(field_of(page)).to_have_value("Hanna")
        await check_found(visitor, town, HANNAH)


@BOTH
async def test_keys_do_in_the_field_what_they_do_everywhere(
    browser: Browser, town: Town, device: Device
) -> None:
    async with visiting(browser, town.url, device) as visitor:
        page = visitor.page
        await come_to_type(visitor)
        await page.keyboard.type("Hanna")
        await check_found(visitor, town, HANNAH)
        # There is no list to go through in the field: arrows move in the word.
        for key in ("ArrowDown", "ArrowUp", "ArrowLeft"):
            await page.keyboard.press(key)
            await expect(field_of(page)).to_be_focused()
        await page.keyboard.press("End")
        await check_found(visitor, town, HANNAH)
        await page.keyboard.press("Escape")
        await expect(field_of(page)).to_have_value("")
        await expect(found_on(page)).to_have_count(0)
        await expect(page.get_by_role("status")).to_have_text("")
        assert visitor.path == "/find"
        # Enter goes to the whole page of what was found, and with a whole id to its player.
        await page.keyboard.type("Hanna")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/find?q=Hanna")
        await check_found(visitor, town, HANNAH)
        await field_of(page).fill(town.ids[ALICE].lower())
        await check_found(visitor, town, ALICE)
        assert visitor.path.startswith("/find?q=")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text(town.name(ALICE))


async def test_an_id_with_a_wrong_letter_is_told_and_mended(browser: Browser, town: Town) -> None:
    wanted = town.ids[ALICE]
    wrong = mistyped(wanted)
    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await come_to_type(visitor)
        await page.keyboard.type(wrong)
        await expect(page.get_by_role("status")).to_contain_text(
            re.compile("mistyped|check", re.IGNORECASE)
        )
        await page.keyboard.press("Enter")
        # With the button, it is told at the field, and goes away with the next letter.
        await page.wait_for_url("**/find?q=*")
        await expect(field_of(page)).to_have_accessible_description(re.compile(r"\w{4}"))
        await field_of(page).press("End")
        await page.keyboard.press("Backspace")
        await page.keyboard.type(wanted[-1])
        await check_found(visitor, town, ALICE)
        await expect(field_of(page)).to_have_accessible_description("")


async def test_an_answer_that_comes_late_does_not_take_the_place_of_a_newer_one(
    browser: Browser, town: Town
) -> None:
    asked, may_come, has_come = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await may_come.wait()
        await route.fulfill(body="<div id='found'><p class='count'>Too late.</p></div>")
        has_come.set()

    async with visiting(browser, town.url, DESKTOP) as visitor:
        page = visitor.page
        await page.route(re.compile(r"q=Ali&as=list$"), hold)
        await come_to_type(visitor)
        await page.keyboard.type("Ali")
        await asyncio.wait_for(asked.wait(), 15)
        await page.keyboard.type("ce")
        await check_found(visitor, town, ALICE)
        may_come.set()
        await asyncio.wait_for(has_come.wait(), 15)
        # What is asked now is answered after the late answer.
        await page.evaluate("fetch('/find?q=Bob&as=list').then((answer) => answer.text())")
        await check_found(visitor, town, ALICE)
        assert visitor.path == "/find?q=Alice"


async def test_without_the_network_what_was_found_stays_and_the_button_works_later(
    browser: Browser, town: Town
) -> None:
    async with visiting(browser, town.url, PHONE) as visitor:
        page = visitor.page
        await visitor.go("/find?q=Hannah")
        await page.context.set_offline(True)
        async with page.expect_event("requestfailed"):
            await field_of(page).fill("Hann")
        await expect(page.locator("[aria-busy]")).to_have_count(0)
        await check_found(visitor, town, HANNAH)
        await page.context.set_offline(False)
        told = [fault for fault in visitor.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
        assert told == []
        visitor.faults.clear()
        await page.get_by_role("button", name="Find").click()
        await page.wait_for_url("**/find?q=Hann")
        await check_found(visitor, town, HANNAH)
