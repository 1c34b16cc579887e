"""With JavaScript a night is kept, checked and tried while it is typed, from the club's list."""

import re

import pytest
from playwright.async_api import Browser, Page, expect

from services.cli.demo.people import CLUB
from tests.browser.logging_in import log_in_by_code, look_at
from tests.browser.nights.conftest import FIRST, OWNER, SECOND, count, field_of, type_table
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, Device, Visitor, visiting

HEADING = "Saturday, Jan 31, 2026"


async def begin(visitor: Visitor, town: Town) -> Page:
    """Log in, and open an empty night."""
    await log_in_by_code(visitor, town)
    await visitor.go(f"/desk/{CLUB}/night")
    return visitor.page


@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=lambda each: each.name)
async def test_each_thing_is_said_while_one_types(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page = await begin(visitor, club_town)
        kind = page.get_by_label("Kind of game")
        await kind.select_option("social")
        await expect(field_of(page, "points", 1, 1)).to_have_count(0)
        await kind.select_option("league")
        # Whoever goes on at once goes on.
        await field_of(page, "who", 1, 1).fill("a")
        await expect(field_of(page, "points", 1, 1)).to_be_visible()
        await expect(field_of(page, "who", 1, 1)).to_be_focused()
        await expect(field_of(page, "who", 1, 1)).to_have_value("a")
        await page.get_by_label("Games played in round 1").fill("5")
        await type_table(page, 1, FIRST[:3])
        await field_of(page, "who", 1, 4).press_sequentially("d")
        await expect(page.get_by_role("option", name="Dave")).to_have_attribute(
            "aria-selected", "true"
        )
        await look_at(visitor)
        await field_of(page, "points", 1, 4).fill("x")
        words = "4 of 5 games are accounted for: who won the last one?"
        await expect(page.get_by_text(words).first).to_be_visible()
        await field_of(page, "games won", 1, 4).focus()
        await expect(page.get_by_text("Write points as a number")).to_be_visible()
        await look_at(visitor)
        # Nothing is missing anymore, and the page shows what would happen; nothing counts yet.
        await field_of(page, "points", 1, 4).fill("\u221250")
        await page.get_by_label("Wall games in round 1").fill("1")
        moves = page.get_by_role("table", name="Who would gain or lose what")
        await expect(moves.get_by_role("row")).to_have_count(5)
        await expect(page.get_by_text(words)).to_have_count(0)
        await expect(page.get_by_text("Somebody else changed")).to_have_count(0)
        await look_at(visitor)
        await expect(field_of(page, "who", 1, 4)).to_have_value("Dave")
        shown = await moves.inner_text()
        await add_and_remove_rounds(page)
        await look_at(visitor)
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(HEADING)
        assert await moves.inner_text() == shown
        await look_at(visitor)


async def add_and_remove_rounds(page: Page) -> None:
    """Add rounds in place, by one press each, and take them away again."""
    await page.evaluate("window.isSamePage = true")
    await page.get_by_role("button", name="Next round, split winners").click()
    await expect(field_of(page, "games won", 2, 1)).to_be_focused()
    await expect(field_of(page, "who", 2, 1)).to_have_value("Alice")
    await page.get_by_role("button", name="Next round, rotate").click()
    await expect(field_of(page, "who", 3, 1)).to_have_value("Dave")
    await page.get_by_role("button", name="Another table, other people").click()
    await expect(field_of(page, "who", 4, 1)).to_be_focused()
    for number in (4, 3, 2):
        await page.get_by_role("button", name=f"Remove round {number}").click()
        await expect(page.get_by_label(f"Games played in round {number}")).to_have_count(0)
    assert await page.evaluate("window.isSamePage")


async def test_the_list_is_gone_through_by_keys_and_by_touch(
    browser: Browser, club_town: Town
) -> None:
    async with visiting(browser, club_town.url, PHONE) as visitor:
        page = await begin(visitor, club_town)
        who = page.get_by_role("combobox", name="Round 1, seat 1: who")
        await expect(who).to_have_attribute("aria-expanded", "false")
        await who.press("ArrowDown")
        await expect(who).to_have_attribute("aria-expanded", "true")
        listbox = page.get_by_role("listbox", name="People of your club")
        await expect(listbox.get_by_role("option")).to_have_count(8)
        await look_at(visitor)
        await who.press("ArrowDown")
        active = await who.get_attribute("aria-activedescendant")
        await expect(page.locator(f"#{active}")).to_have_text("Bob")
        await who.press("Escape")
        await expect(listbox).to_have_count(0)
        await expect(who).to_have_value("")
        await who.press("ArrowDown")
        await who.press("ArrowUp")
        await who.press("Enter")
        await expect(who).to_have_value("Bob, the imaginary player")
        # A finger finds everybody as well, and goes on to the games won.
        second = page.get_by_role("combobox", name="Round 1, seat 2: who")
        await second.tap()
        await page.get_by_role("option", name="George").tap()
        await expect(second).to_have_value("George")
        await expect(field_of(page, "games won", 1, 2)).to_be_focused()
        # Nobody is guessed: whoever begins like somebody of the list may be somebody new.
        third = page.get_by_role("combobox", name="Round 1, seat 3: who")
        await third.press_sequentially("Al")
        await page.get_by_role("option", name="“Al” is somebody new").tap()
        await expect(third).to_have_value("Al")
        asked = page.get_by_role("group", name="Who is Al?")
        await expect(asked).to_be_visible()
        await look_at(visitor)
        await asked.get_by_label("No address").check()
        await third.focus()
        await third.press("Tab")
        await expect(third).to_have_value("Al")
        await field_of(page, "games won", 1, 2).fill("4")
        for seat in (1, 2, 3):
            await field_of(page, "points", 1, seat).fill("(1.5)")
        moves = page.get_by_role("table", name="Who would gain or lose what")
        await expect(moves.get_by_role("rowheader", name=re.compile("^Al"))).to_be_visible()


async def test_the_second_helper_is_asked_and_sees_both(browser: Browser, club_town: Town) -> None:
    async with (
        visiting(browser, club_town.url, DESKTOP) as first,
        visiting(browser, club_town.url, PHONE) as second,
    ):
        page = await begin(first, club_town)
        await log_in_by_code(second, club_town, OWNER)
        await second.go(f"/desk/{CLUB}/night")
        other = second.page
        for each, lines in ((page, FIRST), (other, [("alice", "1", "1"), *FIRST[1:2], FIRST[2]])):
            await type_table(each, 1, lines)
        await other.get_by_label("Games played in round 1").fill("3")
        await page.get_by_role("button", name="Look at it").last.click()
        await page.get_by_role("button", name="Send it").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        # The other one hears of it while typing, at the latest when looking at it.
        await field_of(other, "points", 1, 1).fill("2")
        await expect(other.get_by_text("has sent a round of this day")).to_be_visible()
        await look_at(second)
        await other.get_by_role("button", name="Look at it").last.click()
        question = other.get_by_role("heading", name="Is this night on record already?")
        await expect(question).to_be_visible()
        for label in ("on record", "as typed"):
            region = other.get_by_role("region", name=f"Round 1, {label}")
            await expect(region.get_by_role("rowheader", name="Alice")).to_be_visible()
        await look_at(second)
        await other.get_by_role("button", name="It is the same night").click()
        await expect(other.get_by_text("Thrown away.")).to_be_visible()
        assert await count(club_town) == 2


async def test_the_night_is_printed_with_its_date_and_without_buttons(
    browser: Browser, club_town: Town
) -> None:
    async with visiting(browser, club_town.url, DESKTOP) as visitor:
        await visitor.page.add_init_script("window.print = () => { window.printed = true; };")
        page = await begin(visitor, club_town)
        await type_table(page, 1, FIRST)
        await expect(page.get_by_role("table")).to_be_visible()
        await page.get_by_role("button", name="Next round, same people").click()
        await expect(field_of(page, "games won", 2, 1)).to_be_focused()
        await type_table(page, 2, SECOND)
        await page.get_by_label("Wall games in round 2").fill("1")
        for button in ("Look at it", "Send it"):
            await page.get_by_role("button", name=button).last.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        await page.get_by_role("button", name="Print this page").click()
        assert await page.evaluate("window.printed")
        await page.emulate_media(media="print")
        await expect(page.get_by_text(HEADING)).to_be_visible()
        await expect(page.get_by_role("table")).to_have_count(3)
        for table in await page.get_by_role("table").all():
            await expect(table).to_be_visible()
        for role in ("navigation", "button", "link"):
            for each in await page.get_by_role(role).all():
                await expect(each).to_be_hidden()
        # Black on white, also for who sees the site in the dark; on one sheet.
        pdf = await page.pdf(format="Letter")
        assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
