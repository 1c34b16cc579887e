"""A club secretary enters the league night: by keyboard, on a phone, and without JavaScript."""

import pytest
from playwright.async_api import Browser, Page, expect

from services.cli.demo.people import CLUB
from tests.browser.logging_in import log_in_by_code, look_at
from tests.browser.nights.conftest import FIRST, SECOND, Keys, field_of
from tests.browser.town import Town
from tests.browser.visitors import (
    DESKTOP,
    PHONE,
    PLAIN_DESKTOP,
    PLAIN_PHONE,
    Device,
    Visitor,
    visiting,
)
from tests.site.desk.test_night import as_sent

# At most, by keyboard alone: so many with the script of the page, and without it.
PRESSES_LIVE, PRESSES_PLAIN = 54, 60


async def type_night_live(page: Page, keys: Keys) -> None:
    """Type the night as the script of the page lets one.

    Where only one name fits, a number goes on to the games won, and a minus there to the points.
    """
    await keys.line("a2", "125")
    await keys.line("b1", "80")
    await keys.line("c1", "45")
    await keys.line("d", "-50")
    await next_round(page, keys)
    await keys.line("1", "60")
    await keys.line("e2", "110")
    await keys.line("f", "", "40")
    await keys.line("g", "-10")
    await keys.press("1", "Enter")


async def type_night_plain(page: Page, keys: Keys) -> None:
    """Type the night field after field."""
    for line in FIRST:
        await keys.line(*line)
    await next_round(page, keys)
    await keys.line(*SECOND[0][1:])
    for line in SECOND[1:]:
        await keys.line(*line)
    await keys.press("1", "Enter")


async def next_round(page: Page, keys: Keys) -> None:
    """Go past the wall games to the next round."""
    await keys.press("Tab")
    await expect(page.get_by_role("button", name="Next round, same people")).to_be_focused()
    await keys.press("Enter")
    await expect(field_of(page, "games won", 2, 1)).to_be_focused()
    await expect(field_of(page, "who", 2, 1)).to_have_value("Alice")


@pytest.mark.parametrize("device", [DESKTOP, PHONE, PLAIN_DESKTOP], ids=lambda each: each.name)
async def test_the_league_night_takes_few_presses_of_keys(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page, keys = visitor.page, Keys(visitor.page)
        await log_in_by_code(visitor, club_town)
        await visitor.go(f"/desk/{CLUB}/night")
        await expect(field_of(page, "who", 1, 1)).to_be_focused()
        await (type_night_live if device.has_javascript else type_night_plain)(page, keys)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Saturday, Jan 31, 2026")
        await expect(page.get_by_role("button", name="Send it")).to_be_focused()
        await keys.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        at_most = PRESSES_LIVE if device.has_javascript else PRESSES_PLAIN
        assert len(keys.presses) <= at_most, keys.presses
    # It is what a program would have sent.
    answer = await club_town.client.post(
        "/v1/sessions", json=as_sent(), headers=club_town.sources[CLUB]
    )
    assert answer.headers["idempotency-replayed"] == "true"


async def type_first(page: Page) -> None:
    """Type the first table of the night, with somebody new in it."""
    for number, (who, won, points) in enumerate(FIRST, start=1):
        await field_of(page, "who", 1, number).fill("Zora" if who == "d" else who)
        await field_of(page, "games won", 1, number).fill(won)
        await field_of(page, "points", 1, number).fill(points)


@pytest.mark.parametrize("device", [PHONE, PLAIN_PHONE, PLAIN_DESKTOP], ids=lambda each: each.name)
async def test_each_page_on_the_way_is_fit_for_everybody(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, club_town)
        await visitor.go("/desk")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("link", name="Enter a night").last.click()
        await look_at(visitor)
        await type_first(page)
        await page.get_by_label("Games played in round 1").fill("5")
        await page.get_by_role("button", name="Look at it").last.click()
        words = "4 of 5 games are accounted for: who won the last one?"
        await expect(page.get_by_role("main").get_by_text(words).first).to_be_visible()
        await look_at(visitor)
        await page.get_by_label("Wall games in round 1").fill("1")
        await page.get_by_label("The same, but private").check()
        await page.get_by_role("textbox", name="Email address").fill("zora@example.com")
        await page.get_by_role("button", name="Save, and go on later").click()
        await expect(page.get_by_text("Saved.")).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_role("button", name="Send it")).to_be_visible()
        await look_at(visitor)
        if not device.has_javascript:
            await ask_about_names(visitor)
        await page.get_by_role("button", name="Send it").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        await look_at(visitor)
        # Somebody else enters the same night, with a slip.
        await page.get_by_role("link", name="Enter another night").click()
        await type_first(page)
        await field_of(page, "who", 1, 4).fill("dave")
        await page.get_by_label("Wall games in round 1").fill("0")
        await page.get_by_label("Games played in round 1").fill("4")
        await page.get_by_role("button", name="Look at it").last.click()
        question = page.get_by_role("heading", name="Is this night on record already?")
        await expect(question).to_be_visible()
        await look_at(visitor)
        await visitor.go(f"/desk/{CLUB}")
        await expect(page.get_by_role("heading", name="Not sent yet")).to_be_visible()
        await look_at(visitor)


async def ask_about_names(visitor: Visitor) -> None:
    """Look at those who were found by the beginnings of their names."""
    await visitor.page.get_by_role("link", name="One of them is somebody else").click()
    await expect(visitor.page.get_by_text("You typed “b”, and we took it for Bob.")).to_be_visible()
    await look_at(visitor)
    await visitor.page.get_by_role("button", name="Look at it").last.click()


async def test_an_ended_login_shows_what_was_typed(browser: Browser, club_town: Town) -> None:
    async with visiting(browser, club_town.url, PLAIN_PHONE) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, club_town)
        await visitor.go(f"/desk/{CLUB}/night")
        await type_first(page)
        await club_town.running.pool.execute("DELETE FROM mahjic.logins")
        visitor.status = 401
        await page.get_by_role("button", name="Look at it").last.click()
        await expect(page.get_by_role("heading", level=1)).to_have_text(
            "You are no longer logged in"
        )
        await look_at(visitor)
