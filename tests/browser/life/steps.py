"""What somebody does one after the other, each step ending with what it must have come to."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from playwright.async_api import expect

from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.life.household import Household
from tests.browser.life.person import ADDRESS, CHOSEN, OFFERED, a_night
from tests.browser.visitors import Visitor

BOARD: Final = "/leaderboard?min_games=0"


@dataclass
class Life:
    """A person with a phone, and whatever they learn on their way."""

    house: Household
    phone: Visitor
    # The ids of the players that stand for them.
    ids: list[str] = field(default_factory=list)
    sessions: list[str] = field(default_factory=list)

    @property
    def player_id(self) -> str:
        """Their Mahjic ID."""
        return self.ids[0]


async def be_rated(life: Life, address: str, name: str) -> None:
    """Have the club send a night."""
    day = str((life.house.clock.now() - timedelta(days=1)).date())
    told = await life.house.submit(a_night(day, address, name, games=16 + 8 * len(life.ids)))
    life.ids.append(told[address])
    life.sessions.append(told["session"])
    await life.house.all_shown()


async def log_in(life: Life) -> None:
    """Ask for a link on the phone, and press the button behind it."""
    page, visitor = life.phone.page, life.phone
    await visitor.go("/login?to=/me")
    await page.get_by_label("Your email address").fill(ADDRESS)
    await page.get_by_role("button", name="Mail me a link").click()
    mail = await life.house.mailbox.next_to(ADDRESS)
    await page.goto(mail.link("/login/link/"))
    await look_at(visitor)
    await page.get_by_role("button", name="Log in here").click()


async def claim(life: Life) -> None:
    """Choose a name, and see it on the board."""
    page, visitor = life.phone.page, life.phone
    await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome")
    await expect(page.get_by_text(life.player_id)).to_be_visible()
    await expect(page.get_by_text(OFFERED)).to_be_visible()
    await look_at(visitor)
    await page.get_by_role("radio", name="Another name").check()
    await page.get_by_role("textbox", name="Another name").fill(CHOSEN)
    await page.get_by_role("radio", name="Everyone").check()
    await page.get_by_role("button", name="Save, and go to my page").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(CHOSEN)
    await look_at(visitor)
    await visitor.go(BOARD)
    await expect(page.get_by_role("link", name=CHOSEN)).to_be_visible()


async def look_at(visitor: Visitor) -> None:
    """Fail if the page keeps anybody from using it."""
    await check_axe(visitor.page)
    await check_fits(visitor)
