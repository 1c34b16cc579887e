"""Who is in the story of a club, and what each of them does more than once."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from playwright.async_api import Locator, Page, expect

from tests.browser.axe import check_axe
from tests.browser.life.household import Household
from tests.browser.life.steps import Life, log_in_as
from tests.browser.visitors import Visitor
from tests.service import bearer

CLUB: Final = "riverside-league"
NAME: Final = "Riverside League"
OWNER: Final = "rose.tilden@example.com"
SCORER: Final = "sam.porter@example.com"
OPERATOR: Final = "olive@staff.example.org"
# Line by line: who, games won, points. Empty is what a secretary leaves empty.
Lines = Sequence[tuple[str, str, str]]
FIRST: Final[Lines] = [
    ("Alice", "2", "125"),
    ("Bob", "1", "80"),
    ("Carol", "1", "45"),
    ("Dave", "", "-50"),
]
SECOND: Final[Lines] = [
    ("Alice", "1", "60"),
    ("Eve", "2", "110"),
    ("Frank", "", "40"),
    ("George", "", "\u221210"),
]
READ_FACTS: Final = "SELECT convert_from(body, 'UTF8') AS body FROM mahjic.facts ORDER BY seq"


@dataclass
class Story:
    """A club that comes to Mahjic: its owner has a phone, its scorer too, staff have a desk."""

    house: Household
    owner: Life
    scorer: Life
    staff: Life
    key: str = field(default="", repr=False)
    # The sessions that the club has on record, each by what it was.
    sessions: dict[str, str] = field(default_factory=dict)

    async def listed(self) -> list[str]:
        """Return the sessions of the club that count, by the key that it made."""
        told = await self._asked("/v1/sessions")
        counts = {"rated", "accepted"}
        return [each["session_id"] for each in told["sessions"] if each["status"] in counts]

    async def told(self, session_id: str) -> dict[str, Any]:
        """Return what the club's program reads about a session, once it is rated."""
        return await self._asked(f"/v1/sessions/{session_id}")

    async def _asked(self, path: str) -> dict[str, Any]:
        async with self.house.stranger() as client:
            answer = await client.get(path, headers=bearer(self.key))
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    async def note_new(self, what: str) -> None:
        """Note the one session that counts now and did not before."""
        (new,) = set(await self.listed()) - set(self.sessions.values())
        self.sessions[what] = new

    async def facts(self) -> list[dict[str, Any]]:
        """Return all facts, the first one first."""
        return [json.loads(row["body"]) for row in await self.house.pool.fetch(READ_FACTS)]


def field_of(page: Page, what: str, table: int, seat: int) -> Locator:
    """Return a field of a line of a night, by what it is called."""
    return page.get_by_label(f"Round {table}, seat {seat}: {what}", exact=True)


async def begin_night(visitor: Visitor, day: str) -> None:
    """Open the form of a new night, and say of which day it is."""
    await open_tab(visitor, "Enter a night")
    await visitor.page.get_by_label("Date").fill(day)


async def type_round(page: Page, number: int, lines: Lines, *, wall: str = "0") -> None:
    """Type one round, field after field."""
    await page.get_by_label(f"Games played in round {number}").fill("4")
    for seat, (who, won, points) in enumerate(lines, start=1):
        await field_of(page, "who", number, seat).fill(who)
        await page.keyboard.press("Tab")
        await field_of(page, "games won", number, seat).fill(won)
        await field_of(page, "points", number, seat).fill(points)
    await page.get_by_label(f"Wall games in round {number}").fill(wall)


async def check_round(page: Page, number: int, lines: Lines) -> None:
    """Fail unless a round stands in the form as it was typed."""
    for seat, (who, won, points) in enumerate(lines, start=1):
        await expect(field_of(page, "who", number, seat)).to_have_value(who)
        await expect(field_of(page, "games won", number, seat)).to_have_value(won)
        await expect(field_of(page, "points", number, seat)).to_have_value(points)


async def press(page: Page, name: str) -> None:
    """Press the button that everybody sees last: the one at the end of the page."""
    await page.get_by_role("button", name=name, exact=True).last.click()


async def look_at(visitor: Visitor) -> None:
    """Fail if axe finds anything. That pages fit is shown where each of them is tried."""
    await check_axe(visitor.page)


async def arrive(visitor: Visitor, title: str) -> None:
    """Wait for a page by its heading, and look at it."""
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text(title)
    await look_at(visitor)


async def open_tab(visitor: Visitor, name: str) -> None:
    """Follow a link between the pages of the desk."""
    tabs = visitor.page.get_by_role("navigation", name="This desk")
    await tabs.get_by_role("link", name=name, exact=True).click()


async def log_in(who: Life, address: str, path: str) -> None:
    """Log in by mail, on the way to a page."""
    await who.phone.go(f"/login?to={path}")
    await log_in_as(who, address)


@asynccontextmanager
async def with_faults(visitor: Visitor, *parts: str, status: int = 200) -> AsyncIterator[None]:
    """Let something go wrong on purpose; nothing else may."""
    visitor.status, before = status, list(visitor.faults)
    yield
    others = [each for each in visitor.faults if not any(part in each for part in parts)]
    assert others == before
    visitor.faults[:] = before
    visitor.status = 200
