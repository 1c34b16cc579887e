"""Everything that goes wrong while a night is typed and sent, and what staff take out at last."""

from typing import Final

from playwright.async_api import Route, expect

from tests.browser.desks.nights import SENT
from tests.browser.desks.story import (
    CLUB,
    FIRST,
    OWNER,
    Story,
    arrive,
    begin_night,
    check_round,
    field_of,
    look_at,
    press,
    type_round,
    with_faults,
)
from tests.browser.life.steps import log_in_as
from tests.log.deadlines import until

DAY: Final = "2026-02-21"
SHEET_DAY: Final = "2026-01-31"
END_LOGINS: Final = """
DELETE FROM mahjic.logins WHERE account_id =
    (SELECT account_id FROM mahjic.addresses WHERE address = $1)
"""


async def enter_a_night_in_spite_of_everything(story: Story) -> None:
    """Reload, go back, lose the login and the line: what was typed is there, and counts once."""
    visitor = story.owner.phone
    page = visitor.page
    await begin_night(visitor, DAY)
    await type_round(page, 1, FIRST)
    await page.reload()
    await check_round(page, 1, FIRST)
    await press(page, "Look at it")
    await expect(page.get_by_role("button", name="Send it")).to_be_visible()
    await page.go_back()
    await check_round(page, 1, FIRST)
    await story.house.pool.execute(END_LOGINS, OWNER)
    async with with_faults(visitor, "answered 401"):
        await field_of(page, "points", 1, 1).fill("12.5")
        await press(page, "Look at it")
        await expect(page.get_by_text("You are no longer logged in.")).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("link", name="Log in, and go on here").click()
        await log_in_as(story.owner, OWNER)
        await check_round(page, 1, [("Alice", "2", "12.5"), *FIRST[1:]])
    await press(page, "Look at it")
    await expect(page.get_by_role("button", name="Send it")).to_be_visible()
    async with with_faults(visitor, "/send", "net::ERR_FAILED"):
        # The night arrives, and its answer does not.
        await page.route("**/send", _arrive_and_break_off)
        await press(page, "Send it")
        await expect(page.get_by_text("The connection was lost")).to_be_visible()
        await look_at(visitor)
        await page.unroute("**/send")
    await page.get_by_role("button", name="Send it").dblclick()
    await arrive(visitor, SENT)
    await page.go_back()
    await expect(page.get_by_role("heading", level=1)).to_have_text(SENT)
    await story.note_new("in spite of everything")


async def _arrive_and_break_off(route: Route) -> None:
    await route.fetch(max_redirects=0)
    await route.abort()


async def void_one(story: Story) -> None:
    """Staff choose the night of the sheet, see what it would move, and take it out."""
    page, visitor = story.staff.phone.page, story.staff.phone
    await visitor.go("/staff")
    await page.get_by_role("main").get_by_role("link", name="Void many sessions").last.click()
    await arrive(visitor, "Void many sessions")
    before = await story.facts()
    await page.get_by_label("Source").select_option(CLUB)
    await page.get_by_label("From").fill(SHEET_DAY)
    await page.get_by_label("To", exact=True).fill(SHEET_DAY)
    await page.get_by_label("Why").select_option(index=1)
    await press(page, "Show what it would move")
    await expect(page.get_by_text("1 session would no longer count.")).to_be_visible()
    rows = page.get_by_role("region", name="Who would move").locator("tbody tr")

    async def is_worked_out() -> bool:
        if await rows.count():
            return True
        await page.reload()
        return False

    await until(is_worked_out)
    await look_at(visitor)
    # Seven people sat there, and would lose it again.
    await expect(rows).to_have_count(7)
    assert await story.facts() == before
    await press(page, "Void 1 session")
    await expect(page.get_by_text("Voided: 1.")).to_be_visible()
    await look_at(visitor)
    await visitor.go("/staff/acts")
    await expect(page.get_by_role("rowheader", name="Voided sessions").first).to_be_visible()
    await story.owner.phone.go(f"/desk/{CLUB}/sessions/{story.sessions['sheet']}")
    await expect(story.owner.phone.page.get_by_text("This session is taken out")).to_be_visible()
    await look_at(story.owner.phone)
