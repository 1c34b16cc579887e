"""Pictures a scorer's evening at the desk of a club: a night that is typed, and a sheet."""

from pathlib import Path
from typing import Final

from playwright.async_api import Browser, FilePayload

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.cli.demo.people import CLUB
from services.site.desk.at_desk import DeskRoom
from tests.accounts.people import READ_MAILS, Mailed
from tests.browser.town import ALICE, Town
from tests.browser.visitors import Device, Visitor, visiting
from tests.site.desk.sheet.uploading import MENDED, WRONG, book_of

XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
# Whom the club knows since the season, and what they do on this evening.
PLAYED: Final = (("alice@example.com", "2"), ("ben@example.com", "1"), ("Bob", "1"))


async def open_desk(town: Town) -> None:
    """Let the site be found where cookies are bound to a name, and somebody keep score."""
    port = int(town.url.rpartition(":")[2])
    town.running.service.process.origin.bind(port)
    town.url = f"http://localhost:{port}"
    room: DeskRoom = town.running.app.state.ports[DeskRoom]
    accounts = room.door.accounts
    notices = MemberNotices.of(accounts)
    pool = town.running.pool
    await add_member(pool, notices, CLUB, ALICE, role="owner", chance=accounts.chance)


async def picture_desk(browser: Browser, town: Town, device: Device, name: str, to: Path) -> None:
    """Log in, and keep what is seen on the way from an empty night to a mended sheet."""
    async with visiting(browser, town.url, device) as visitor:

        async def keep(what: str) -> None:
            await visitor.page.screenshot(path=to / f"{what}-{name}.png", full_page=True)

        await _log_in(visitor, town)
        await visitor.go(f"/desk/{CLUB}")
        await keep("desk")
        await _type_night(visitor)
        await keep("desk-night")
        await _upload(visitor, book_of(*WRONG))
        await keep("desk-mend")
        await _upload(visitor, book_of(*MENDED))
        await keep("desk-sheet")


async def _log_in(visitor: Visitor, town: Town) -> None:
    page = visitor.page
    await visitor.go("/login?to=/desk")
    await page.get_by_label("Your email address").fill(ALICE)
    await page.get_by_role("button", name="Mail me a link").click()
    mail = Mailed(*(await town.running.pool.fetch(READ_MAILS))[-1])
    await page.get_by_label("The code in the mail").fill(mail.code)
    await page.get_by_role("button", name="Go on").click()
    await page.wait_for_url(f"**/desk/{CLUB}")


async def _type_night(visitor: Visitor) -> None:
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/night")
    for seat, (who, won) in enumerate(PLAYED, start=1):
        await page.get_by_label(f"Round 1, seat {seat}: who").fill(who)
        await page.get_by_label(f"Round 1, seat {seat}: games won").fill(won)


async def _upload(visitor: Visitor, content: bytes) -> None:
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/sheet")
    await page.get_by_label("The file").set_input_files(
        FilePayload(name="night.xlsx", mimeType=XLSX, buffer=content)
    )
    await page.get_by_role("button", name="Look at it").click()
    await page.wait_for_url("**/sheet/nid_*")
