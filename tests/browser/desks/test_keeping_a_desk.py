"""An owner invites a scorer, who comes by the mail on her phone; makes a key; and ends both."""

import re

from playwright.async_api import Browser, Page, expect

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.cli.demo.people import CLUB
from services.site.desk.at_desk import DeskRoom
from tests.accounts.people import READ_MAILS, Mailed
from tests.browser.logging_in import (
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PLAIN_PHONE, Visitor, visiting
from tests.service import bearer

OWNER, SCORER = "owner@example.com", "a.scorer.with.quite.a.long.name@lakeside.example.org"
MEMBERS, KEYS, PROFILE = (f"/desk/{CLUB}/{page}" for page in ("members", "keys", "profile"))
AGED = "UPDATE mahjic.logins SET began_at = began_at - interval '1 hour'"
_INVITATION = re.compile(r"http://localhost:\d+(/invitations/\S+)")


async def mail_of(town: Town, kind: str) -> Mailed:
    """Return the last mail of a kind."""
    mails = [Mailed(*row) for row in await town.running.pool.fetch(READ_MAILS)]
    return [each for each in mails if each.kind == kind][-1]


async def appoint_owner(town: Town) -> None:
    room: DeskRoom = town.running.app.state.ports[DeskRoom]
    accounts, pool = room.door.accounts, town.running.pool
    notices, chance = MemberNotices.of(accounts), accounts.chance
    await add_member(pool, notices, CLUB, OWNER, role="owner", chance=chance)


async def heading(page: Page, words: str) -> None:
    await expect(page.get_by_role("heading", level=1)).to_have_text(words)


async def invite(owner: Visitor) -> None:
    """Invite the scorer, first with a slip of the finger."""
    page = owner.page
    await owner.go(MEMBERS)
    await look_at(owner)
    await page.get_by_label("Their email address").fill("no-dot@example")
    await slip(owner, "Send the invitation")
    await expect(page.get_by_label("Their email address")).to_have_value("no-dot@example")
    await page.get_by_label("Their email address").fill(SCORER)
    await page.get_by_role("button", name="Send the invitation").click()
    await expect(page.get_by_role("status")).to_contain_text("Invited")
    await expect(page.get_by_role("heading", name="Invited, and not here yet")).to_be_visible()
    await look_at(owner)


async def accept(scorer: Visitor, town: Town) -> None:
    """Come by the link of the mail, log in, say yes, and begin a night."""
    page = scorer.page
    (path,) = set(_INVITATION.findall((await mail_of(town, "member_invited")).text))
    await log_in_by_code(scorer, town, SCORER, path)
    await heading(page, "You are invited by Tuesday Tiles")
    await look_at(scorer)
    await page.get_by_role("link", name="My page").first.click()
    await look_at(scorer)
    await page.get_by_role("link", name="Say yes or no").click()
    await page.get_by_role("button", name="Yes, I’ll do it").click()
    await expect(page.get_by_role("status")).to_contain_text("Welcome!")
    await expect(page.get_by_role("link", name="Keys")).to_have_count(0)
    await look_at(scorer)
    await scorer.go(f"/desk/{CLUB}/leave")
    await look_at(scorer)
    scorer.status = 403
    await scorer.go(KEYS, status=403)
    await look_at(scorer)
    await scorer.go(f"/desk/{CLUB}/night")
    await page.get_by_label("Round 1, seat 1: who").fill("alice@ex.com")


async def make_and_revoke_key(owner: Visitor, town: Town) -> None:
    """Make a key, use it, and revoke it."""
    page = owner.page
    await owner.go(f"/desk/{CLUB}")
    await page.get_by_role("link", name="Keys", exact=True).click()
    await look_at(owner)
    await page.get_by_label("What is it for?").fill("Score app")
    await page.get_by_role("button", name="Make the key and show it").click()
    await heading(page, "Your new key")
    key = bearer(await page.get_by_role("main").locator("code").inner_text())
    await look_at(owner)
    assert (await town.client.get("/v1/sessions", headers=key)).status_code == 200
    await page.get_by_role("link", name="I have saved it").click()
    await expect(page.get_by_text("by you · last used")).to_be_visible()
    await page.get_by_text("Revoke Score app").first.click()
    await look_at(owner)
    await page.get_by_role("button", name="Revoke Score app").click()
    await expect(page.get_by_role("status")).to_contain_text("Revoked")
    await look_at(owner)
    assert (await town.client.get("/v1/sessions", headers=key)).status_code == 401


async def write_profile(owner: Visitor) -> None:
    """Say where the club plays; what is wrong is told first."""
    page = owner.page
    await owner.go(PROFILE)
    await look_at(owner)
    await page.get_by_label("Your web site or social page").fill("lakeside")
    await page.get_by_label("A few words about the club").fill("Mondays at 7, in the library.")
    await slip(owner, "Save")
    await page.get_by_label("Your web site or social page").fill("lakeside.example.org")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("status")).to_contain_text("Saved")
    await page.get_by_role("link", name="See that page").click()
    await expect(page.get_by_text("Mondays at 7, in the library.")).to_be_visible()
    await expect(page.get_by_role("link", name="lakeside.example.org")).to_be_visible()
    await look_at(owner)


async def see_board_elsewhere(owner: Visitor) -> None:
    """Look at what the club's own site would show, and at the lines to copy."""
    page = owner.page
    await owner.go(f"/desk/{CLUB}")
    await page.get_by_role("link", name="On your site", exact=True).click()
    await heading(page, "Your board on your own site")
    await expect(page.locator("mahjic-leaderboard").get_by_role("link").first).to_be_visible()
    lines = page.get_by_role("region", name="A leaderboard, in a frame")
    await expect(lines).to_contain_text(f"/embed/leaderboard/{CLUB}?limit=10")
    await look_at(owner)


async def remove(owner: Visitor, scorer: Visitor, town: Town) -> None:
    """Remove the scorer while her night is open: she reads why nothing is sent."""
    page = owner.page
    await owner.go(MEMBERS)
    await page.get_by_text(f"Change {SCORER}").first.click()
    await look_at(owner)
    await page.get_by_role("button", name=f"Remove {SCORER}").click()
    await expect(page.get_by_role("status")).to_contain_text("Removed")
    await expect(page.get_by_text("There is only one owner.")).to_be_visible()
    await look_at(owner)
    scorer.status = 404
    await scorer.page.get_by_role("button", name="Look at it").last.click()
    await heading(scorer.page, "You have no desk here")
    await expect(scorer.page.get_by_text("nothing of what you typed was sent")).to_be_visible()
    await look_at(scorer)
    assert await town.running.pool.fetchval("SELECT count(*) FROM mahjic.night_drafts") == 0


async def test_from_the_invitation_to_the_end(
    browser: Browser,
    own_town: Town,
) -> None:
    await appoint_owner(own_town)
    async with (
        visiting(browser, own_town.url, DESKTOP) as owner,
        visiting(browser, own_town.url, PLAIN_PHONE) as scorer,
    ):
        await log_in_by_code(owner, own_town, OWNER, f"/desk/{CLUB}")
        await heading(owner.page, "Tuesday Tiles")
        await invite(owner)
        await accept(scorer, own_town)
        await make_and_revoke_key(owner, own_town)
        await write_profile(owner)
        await see_board_elsewhere(owner)
        await remove(owner, scorer, own_town)
        await owner.page.get_by_role("link", name="See what was changed here").click()
        await expect(owner.page.get_by_text(f"Removed {SCORER}")).to_be_visible()
        await look_at(owner)
        await owner.go(f"/desk/{CLUB}/leave")
        await expect(owner.page.get_by_text("You are the only owner here")).to_be_visible()
        await look_at(owner)
        # An hour later nothing is changed without another login.
        await own_town.running.pool.execute(AGED)
        for path in (MEMBERS, KEYS):
            await owner.go(path)
            await expect(owner.page.get_by_role("link", name="log in once more")).to_be_visible()
            await look_at(owner)
