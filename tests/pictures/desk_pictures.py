"""Pictures a scorer's evening at the desk of a club: a night that is typed, and a sheet."""

from pathlib import Path
from typing import Final

from playwright.async_api import Browser, FilePayload, expect

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.cli.demo.people import CLUB
from services.site.desk.at_desk import DeskRoom
from tests.accounts.people import READ_MAILS, Mailed
from tests.browser.nights.conftest import FIRST, type_table
from tests.browser.town import ALICE, Town
from tests.browser.visitors import Device, Visitor, visiting
from tests.site.desk.sheet.uploading import MENDED, WRONG, book_of

# Each device enters a night of its own.
DAYS: Final = {"phone": "2026-02-03", "desktop": "2026-02-10", "dark": "2026-02-17"}
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


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

        await log_in(visitor, town)
        await visitor.go(f"/desk/{CLUB}")
        await keep("desk")
        await _type_night(visitor, DAYS[name])
        await keep("desk-night")
        await _look_at_night(visitor)
        await keep("desk-night-look")
        await _send_night(visitor)
        await keep("desk-night-sent")
        await upload(visitor, book_of(*WRONG))
        await keep("desk-mend")
        await upload(visitor, book_of(*MENDED))
        await keep("desk-sheet")


async def log_in(visitor: Visitor, town: Town) -> None:
    """Log in as the one who keeps score, by a code in a mail."""
    page = visitor.page
    await visitor.go("/login?to=/desk")
    await page.get_by_label("Your email address").fill(ALICE)
    await page.get_by_role("button", name="Mail me a link").click()
    mail = Mailed(*(await town.running.pool.fetch(READ_MAILS))[-1])
    await page.get_by_label("The code in the mail").fill(mail.code)
    await page.get_by_role("button", name="Go on").click()
    await page.wait_for_url(f"**/desk/{CLUB}")


async def _type_night(visitor: Visitor, day: str) -> None:
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/night")
    await page.get_by_label("Date").fill(day)
    await page.get_by_label("Kind of game").select_option("league")
    await expect(page.get_by_label("Round 1, seat 1: points")).to_be_visible()
    await page.get_by_label("Games played in round 1").fill("4")
    await type_table(page, 1, FIRST)
    await expect(page.get_by_role("table")).to_be_visible()


async def _look_at_night(visitor: Visitor) -> None:
    page = visitor.page
    await page.get_by_role("button", name="Look at it").last.click()
    await expect(page.get_by_role("heading", name="What you typed")).to_be_visible()


async def _send_night(visitor: Visitor) -> None:
    page = visitor.page
    await page.get_by_role("button", name="Send it").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The night is sent")


async def upload(visitor: Visitor, content: bytes) -> None:
    """Upload a sheet, and see what is found in it."""
    page = visitor.page
    await visitor.go(f"/desk/{CLUB}/sheet")
    await page.get_by_label("The file").set_input_files(
        FilePayload(name="night.xlsx", mimeType=XLSX, buffer=content)
    )
    await page.get_by_role("button", name="Look at it").click()
    await page.wait_for_url("**/sheet/nid_*")
