"""A club that enters its nights, and somebody at a keyboard whose presses are counted."""

import re
from dataclasses import dataclass, field
from datetime import date

import pytest
from playwright.async_api import Locator, Page

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.cli.demo.people import CLUB
from services.desks.nights import DeskNights
from services.site.desk.at_desk import DeskRoom
from tests.browser.logging_in import (
    ALICE,
)
from tests.browser.town import Town
from tests.site.desk.test_night import NAMES

# A night that is kept has an address of its own.
KEPT = re.compile(rf"/desk/{CLUB}/night/nid_\w+$")
OWNER, SCORER = "owner@example.com", ALICE
COUNT = "SELECT count(*) FROM mahjic.submissions WHERE source = $1 AND status = 'accepted'"
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
    own_town: Town,
    monkeypatch: pytest.MonkeyPatch,
) -> Town:
    """Return a town whose league has seven people and two helpers, on the evening of a night."""
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
    await add_member(pool, notices, CLUB, OWNER, role="owner", chance=accounts.chance)
    await add_member(pool, notices, CLUB, SCORER, role="scorer", chance=accounts.chance)
    monkeypatch.setattr(DeskNights, "today_of_clubs", property(lambda _: date(2026, 1, 31)))
    return own_town


def field_of(page: Page, what: str, number: int, seat: int) -> Locator:
    """Return a field of a line, by what it is called."""
    return page.get_by_label(f"Round {number}, seat {seat}: {what}", exact=True)


async def type_table(page: Page, table: int, lines: list[tuple[str, str, str]]) -> None:
    """Type a table, field after field."""
    for number, (who, won, points) in enumerate(lines, start=1):
        if who:
            await field_of(page, "who", table, number).fill(who)
        await field_of(page, "games won", table, number).fill(won)
        await field_of(page, "points", table, number).fill(points)
        await page.keyboard.press("Tab")


async def count(town: Town) -> int:
    """Return how many sessions of the club count."""
    return int(await town.running.pool.fetchval(COUNT, CLUB))
