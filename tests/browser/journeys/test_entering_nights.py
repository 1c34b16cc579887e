"""A club secretary enters the league night: by keyboard, on a phone, and without JavaScript."""

from dataclasses import dataclass, field
from datetime import date

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.cli.demo.people import CLUB
from services.desks.nights import DeskNights
from services.site.desk.at_desk import DeskRoom
from tests.browser.journeys.test_logging_in import (
    ALICE,
    log_in_by_code,
    look_at,
    own_town,  # noqa: F401 - A fixture.
)
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_DESKTOP, PLAIN_PHONE, Device, visiting
from tests.site.desk.test_night import NAMES, as_sent

PRESSES_MAX = 60
# Who sits at the two tables, by the first letters of their names: games won, points.
FIRST = [("a", "2", "125"), ("b", "1", "80"), ("c", "1", "45"), ("d", "", "-50")]
SECOND = [("", "1", "60"), ("e", "2", "110"), ("f", "", "40"), ("g", "", "-10")]


@dataclass
class Keys:
    """Somebody at a keyboard, whose presses are counted."""

    page: Page
    presses: list[str] = field(default_factory=list)

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.presses.append(key)
            await self.page.keyboard.press(key)

    async def line(self, *fields: str) -> None:
        """Type into fields, one after the other, and go on to the next line."""
        for text in fields:
            await self.press(*text, "Tab")


@pytest.fixture
async def club_town(
    own_town: Town,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> Town:
    """Return a town whose league knows seven people, with a scorer, on the evening of a night."""
    pool = own_town.running.pool
    await pool.execute("UPDATE mahjic.sources SET type = 'league' WHERE slug = $1", CLUB)
    seats = [
        {"email": who, "name": name, "games_played": 4, "mahjongs": 0, "points": 0}
        for who, name in NAMES.items()
    ]
    rounds = [{"players": each, "wall_games": 4} for each in (seats[:4], seats[4:])]
    claim = {"session_date": "2026-01-03", "game_type": "league", "rounds": rounds}
    answer = await own_town.client.post("/v1/sessions", json=claim, headers=own_town.sources[CLUB])
    assert answer.status_code == 201, answer.text
    room: DeskRoom = own_town.running.app.state.ports[DeskRoom]
    accounts = room.door.accounts
    notices = MemberNotices.of(accounts)
    await add_member(pool, notices, CLUB, ALICE, role="scorer", chance=accounts.chance)
    monkeypatch.setattr(DeskNights, "today_of_clubs", property(lambda _: date(2026, 1, 31)))
    return own_town


def field_of(page: Page, what: str, number: int, seat: int) -> Locator:
    """Return a field of a line, by what it is called."""
    return page.get_by_label(f"Round {number}, seat {seat}: {what}")


@pytest.mark.parametrize("device", [DESKTOP, PLAIN_DESKTOP], ids=lambda device: device.name)
async def test_the_league_night_takes_sixty_presses_of_keys(
    browser: Browser, club_town: Town, device: Device
) -> None:
    async with visiting(browser, club_town.url, device) as visitor:
        page, keys = visitor.page, Keys(visitor.page)
        await log_in_by_code(visitor, club_town)
        await visitor.go(f"/desk/{CLUB}/night")
        await expect(field_of(page, "who", 1, 1)).to_be_focused()
        for line in FIRST:
            await keys.line(*line)
        # Past the wall games to the next round.
        await keys.press("Tab")
        await expect(page.get_by_role("button", name="Next round, same people")).to_be_focused()
        await keys.press("Enter")
        await expect(field_of(page, "games won", 2, 1)).to_be_focused()
        await expect(field_of(page, "who", 2, 1)).to_have_value("Alice")
        await keys.line(*SECOND[0][1:])
        for line in SECOND[1:]:
            await keys.line(*line)
        await keys.press("1", "Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Saturday, Jan 31, 2026")
        await expect(page.get_by_role("button", name="Send it")).to_be_focused()
        await keys.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")
        assert len(keys.presses) <= PRESSES_MAX, keys.presses
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
            "You are not logged in any more"
        )
        await look_at(visitor)
