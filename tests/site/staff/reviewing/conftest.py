"""A staff, and an applicant whose application is sent."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from services.accounts.room import Accounts
from services.site.login.door import LoginDoor
from tests.accounts.people import ALICE
from tests.applications.applicants import FORM
from tests.conftest import Database
from tests.site.applying.conftest import apply
from tests.site.me.conftest import Member
from tests.site.players.reading import PageRead
from tests.site.staff.conftest import REVIEWER, StaffTown, a_staff_town

DECISION = {"slug": "lakeside-mj", "name": "Lakeside", "type": "club", "region": "midwest"}


@dataclass
class Review:
    """A reviewer at their desk, and an applicant on their page."""

    staffed: StaffTown
    reviewer: Member
    applicant: Member
    path: str
    seen_at: str

    @property
    def accounts(self) -> Accounts:
        """What the service itself does things with."""
        door: LoginDoor = self.staffed.town.running.app.state.ports[LoginDoor]
        return door.accounts

    async def another(self, **other: str) -> str:
        """Have the applicant send one more; return where staff look at it."""
        return at_desk(await apply_again(self.applicant, FORM | other))

    async def look(self, path: str = "") -> PageRead:
        """Read the page on which it is decided."""
        return await self.reviewer.page(path or self.path)

    async def press(self, what: str, form: dict[str, str], path: str = "") -> tuple[int, PageRead]:
        """Send a form of that page; return the status and the page that comes of it."""
        answer = await self.reviewer.send(f"{path or self.path}/{what}", form)
        if answer.status_code == 303:
            return 303, await self.reviewer.page(answer.headers["location"])
        return answer.status_code, PageRead(answer.text)


async def apply_again(browser: Member, form: dict[str, str]) -> str:
    """Apply in a browser whose address is proved; return the path of the application."""
    answer = await browser.send("/become-a-source", form)
    path = answer.headers["location"]
    assert (await browser.send(f"{path}/send")).status_code == 303
    return str(path)


def at_desk(path: str) -> str:
    """Return where staff look at an application."""
    return f"/staff/applications/{path.rpartition('/')[2]}"


def part(page: PageRead, title: str) -> str:
    """Return what a part of the page says."""
    return page.main.one("section", **{"aria-labelledby": f"{title}-title"}).text


@pytest.fixture
async def review(database: Database) -> AsyncIterator[Review]:
    async with a_staff_town(database) as staffed:
        applicant = await staffed.town.new_browser()
        seen_at = await apply(applicant, FORM | {"address": ALICE})
        reviewer = await staffed.at_desk(REVIEWER)
        yield Review(staffed, reviewer, applicant, at_desk(seen_at), seen_at)
