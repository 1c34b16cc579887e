"""While Mahjic is away, a page of others shows the last numbers with their age, for a day."""

from datetime import UTC, datetime, timedelta
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, expect

from tests.browser.embeds.elsewhere import Club, Reader, a_club, reading
from tests.browser.town import ALICE, Town
from tests.http.serving import serving

START: Final = datetime(2026, 3, 1, 12, tzinfo=UTC)
AWAY: Final = "Mahjic can’t be reached right now."
QUESTIONS: Final = "**/v1/**"
OPEN: Final = {"Access-Control-Allow-Origin": "*"}
KEPT: Final = "Object.keys(localStorage).length"


async def no_answer(route: Route) -> None:
    """Answer nothing, as a service that is not there."""
    await route.abort("connectionrefused")


async def answered_with(page: Page, status: int) -> None:
    """Have each question be answered with a status from now on."""

    async def answer(route: Route) -> None:
        await route.fulfill(status=status, json={}, headers=OPEN)

    await page.unroute(QUESTIONS)
    await page.route(QUESTIONS, answer)


async def a_look(reader: Reader, address: str, passed: timedelta = timedelta(0)) -> None:
    """Open a page, so long after the first time."""
    await reader.page.clock.set_fixed_time(START + passed)
    await reader.page.goto(address)


async def the_first_look(reader: Reader, address: str) -> None:
    """Open a page with a board of three and a player, which both show their numbers."""
    await a_look(reader, address)
    await expect(reader.page.locator("tbody tr")).to_have_count(3)
    await expect(reader.page.locator("dd").first).to_be_visible()


def both(town: Town) -> str:
    """Return a board and a player."""
    return (
        '<mahjic-leaderboard limit="3"></mahjic-leaderboard>'
        f'<mahjic-player id="{town.ids[ALICE]}"></mahjic-player>'
    )


@pytest.mark.parametrize(
    ("passed", "age"),
    [
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=61), "1 minute"),
        (timedelta(minutes=59), "59 minutes"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=23, minutes=59), "23 hours"),
    ],
)
async def test_the_last_numbers_are_shown_with_their_age(
    browser: Browser, town: Town, club: Club, passed: timedelta, age: str
) -> None:
    address = club.shows(both(town))
    async with reading(browser) as reader:
        await the_first_look(reader, address)
        rows = reader.page.locator("tbody tr")
        told = await rows.all_inner_texts()
        await reader.page.route(QUESTIONS, no_answer)
        await a_look(reader, address, passed)
        notes = reader.page.get_by_role("status")
        await expect(notes).to_have_text([f"{AWAY} These numbers are {age} old."] * 2)
        assert await rows.all_inner_texts() == told
        await expect(reader.page.locator("dd").first).to_be_visible()


@pytest.mark.parametrize("passed", [timedelta(hours=24, seconds=1), timedelta(seconds=-1)])
async def test_after_a_day_nothing_is_shown_and_nothing_is_kept(
    browser: Browser, town: Town, club: Club, passed: timedelta
) -> None:
    address = club.shows(both(town))
    async with reading(browser) as reader:
        await the_first_look(reader, address)
        assert await reader.page.evaluate(KEPT) == 2
        # A page that shows neither of them drops them, too.
        await a_look(reader, club.shows("<mahjic-calculator></mahjic-calculator>", "/c"), passed)
        await expect(reader.page.locator("tbody tr")).to_have_count(4)
        assert await reader.page.evaluate(KEPT) == 0
        await reader.page.route(QUESTIONS, no_answer)
        for again in (passed, timedelta(hours=1)):
            await a_look(reader, address, again)
            await expect(reader.page.get_by_role("status")).to_have_text([AWAY] * 2)
            await expect(reader.page.locator("tbody tr, dd")).to_have_count(0)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_a_service_that_can_not_answer_is_away(
    browser: Browser, town: Town, club: Club, status: int
) -> None:
    address = club.shows(both(town))
    async with reading(browser) as reader:
        await the_first_look(reader, address)
        await answered_with(reader.page, status)
        await a_look(reader, address, timedelta(hours=2))
        told = [f"{AWAY} These numbers are 2 hours old."] * 2
        await expect(reader.page.get_by_role("status")).to_have_text(told)
        await expect(reader.page.locator("tbody tr")).to_have_count(3)


async def test_who_is_gone_is_gone_from_the_browser_too(
    browser: Browser, town: Town, club: Club
) -> None:
    address = club.shows(both(town))
    async with reading(browser) as reader:
        await the_first_look(reader, address)
        await answered_with(reader.page, 404)
        await a_look(reader, address, timedelta(minutes=1))
        await expect(
            reader.page.get_by_text("No public player has this Mahjic ID.")
        ).to_be_visible()
        await expect(reader.page.get_by_text("We can’t find this club")).to_be_visible()
        assert await reader.page.evaluate(KEPT) == 0
        await reader.page.unroute(QUESTIONS)
        await reader.page.route(QUESTIONS, no_answer)
        await a_look(reader, address, timedelta(minutes=2))
        await expect(reader.page.get_by_role("status")).to_have_text([AWAY] * 2)


async def test_the_script_itself_is_there_while_the_service_is_not(
    browser: Browser, town: Town
) -> None:
    async with (
        reading(browser) as reader,
        serving(town.running.app, deadline_s=None) as served,
        a_club(f"http://127.0.0.1:{served.port}") as club,
    ):
        address = club.shows(both(town) + "<mahjic-calculator></mahjic-calculator>")
        await reader.page.goto(address)
        await expect(reader.page.locator("tbody tr")).to_have_count(7)
        await expect(reader.page.locator("dd").first).to_be_visible()
        served.stop.set()
        await served.task
        # In a new tab, so that nothing comes from the memory of this one.
        reader.page = await reader.page.context.new_page()
        await reader.page.goto(address)
        await expect(reader.page.locator("tbody tr")).to_have_count(7)
        await expect(reader.page.locator("dd").first).to_be_visible()
