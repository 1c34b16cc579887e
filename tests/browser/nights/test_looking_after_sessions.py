"""A club looks after last night: corrects it, takes it out, brings it back, answers a player."""

from datetime import UTC, datetime

import pytest
from playwright.async_api import Browser, Page, expect

from services.cli.demo.people import CLUB
from services.ingest.people.disputes import dispute
from tests.browser.logging_in import log_in_by_code, look_at, slip
from tests.browser.nights.conftest import count, field_of
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PLAIN_PHONE, Device, Visitor, visiting
from tests.site.desk.test_night import as_sent

DESK = f"/desk/{CLUB}"
TITLE = "Session of Jan 31, 2026"
ID_OF = "SELECT player_id FROM mahjic.people WHERE email = $1"


async def heading(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", level=1)).to_have_text(words)


async def is_shown(town: Town, seq: int) -> None:
    """Wait until the views show a fact."""
    for path in ("/v1/leaderboard", "/v1/formula", "/v1/sessions"):
        headers = town.sources[CLUB]
        answer = await town.client.get(path, params={"min_seq": seq}, headers=headers)
        assert answer.status_code == 200, answer.text


async def find_night(visitor: Visitor) -> None:
    """Go from the desk to the session of last night."""
    page = visitor.page
    await visitor.go(DESK)
    await page.get_by_role("link", name="Sessions", exact=True).click()
    await heading(page, "Sessions")
    await look_at(visitor)
    await page.get_by_text("Find a session by day or by player").click()
    await page.get_by_label("From this day on").fill("2026-01-31")
    await page.get_by_label("Who played").select_option(label="Alice")
    await look_at(visitor)
    await page.get_by_role("button", name="Show these").click()
    await page.get_by_role("link", name="Jan 31, 2026").click()
    await heading(page, TITLE)
    await expect(page.get_by_role("table").first).to_contain_text("Alice")
    await look_at(visitor)


async def correct(visitor: Visitor) -> None:
    """Give one of Alice's games to Bob."""
    page = visitor.page
    await page.get_by_role("button", name="Correct it").click()
    await heading(page, "Correct a session")
    await look_at(visitor)
    await expect(field_of(page, "who", 1, 1)).to_have_value("Alice")
    await field_of(page, "games won", 1, 1).fill("1")
    await field_of(page, "games won", 1, 2).fill("2")
    await page.get_by_role("button", name="Look at it").last.click()
    await heading(page, "Look at the correction")
    await expect(page.get_by_text("Round 1: Alice won 1 instead of 2.")).to_be_visible()
    await look_at(visitor)
    await slip(visitor, "Send the correction")
    await page.get_by_label("A result was wrong").check()
    await page.get_by_role("button", name="Send the correction").click()
    await heading(page, TITLE)
    await expect(page.get_by_role("status")).to_contain_text("Your correction counts now")
    await expect(page.get_by_text("Corrected: you")).to_be_visible()
    await expect(page.get_by_role("table", name="How the correction moved ratings")).to_be_visible()
    await look_at(visitor)


async def take_out_and_bring_back(visitor: Visitor, town: Town) -> None:
    """Take the session out, and change one's mind."""
    page, counting = visitor.page, await count(town)
    await page.get_by_role("link", name="Take it out…").click()
    await heading(page, f"{TITLE}: take it out?")
    await expect(page.get_by_role("heading", name="What it would move")).to_be_visible()
    await look_at(visitor)
    await page.get_by_label("It was entered twice").check()
    await page.get_by_role("button", name="Take it out").click()
    await expect(page.get_by_role("status")).to_contain_text("Taken out")
    await look_at(visitor)
    assert await count(town) == counting - 1
    await page.get_by_role("button", name="Bring it back", exact=True).click()
    await expect(page.get_by_role("status")).to_contain_text("It is back")
    await look_at(visitor)
    assert await count(town) == counting


async def answer_carol(visitor: Visitor, town: Town) -> None:
    """Read what Carol says about the session that counts now, and answer."""
    page = visitor.page
    session_id = page.url.partition("?")[0].rsplit("/", 1)[1]
    async with town.running.pool.acquire() as connection, connection.transaction():
        carol = await connection.fetchval(ID_OF, "carol@ex.com")
        now = datetime.now(UTC)
        await dispute(connection, carol, session_id, "I was in Rome that night.", now=now)
    await visitor.go(DESK)
    await page.get_by_role("link", name="1 player says: I did not play this").click()
    await heading(page, "Players who say they did not play")
    await look_at(visitor)
    await page.get_by_role("link", name="Carol").click()
    await heading(page, TITLE)
    await look_at(visitor)
    await page.get_by_label("Your answer").fill("Alice remembers you at her table.")
    await page.get_by_role("button", name="Send the answer").click()
    await expect(page.get_by_role("status")).to_contain_text("Your answer is sent")
    await look_at(visitor)


@pytest.mark.parametrize("device", [PLAIN_PHONE, DESKTOP], ids=lambda each: each.name)
async def test_last_night_is_looked_after(
    browser: Browser, club_town: Town, device: Device
) -> None:
    sent = await club_town.client.post(
        "/v1/sessions", json=as_sent(), headers=club_town.sources[CLUB]
    )
    assert sent.status_code == 201, sent.text
    await is_shown(club_town, sent.json()["seq"])
    async with visiting(browser, club_town.url, device) as visitor:
        await log_in_by_code(visitor, club_town)
        await find_night(visitor)
        await correct(visitor)
        await take_out_and_bring_back(visitor, club_town)
        await answer_carol(visitor, club_town)
