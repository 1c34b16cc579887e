"""Whoever else keeps score: invited, at the same night as the owner, and removed."""

from typing import Final

from playwright.async_api import expect

from tests.browser.desks.nights import SENT
from tests.browser.desks.story import (
    CLUB,
    FIRST,
    NAME,
    SCORER,
    Story,
    arrive,
    begin_night,
    look_at,
    open_tab,
    press,
    type_round,
    with_faults,
)
from tests.browser.life.steps import log_in_as, scanned

DAY: Final = "2026-02-07"
LATER: Final = "2026-02-14"
# The same night, but for one number.
SLIPPED: Final = [("Alice", "2", "120"), *FIRST[1:]]


async def invite_a_scorer(story: Story) -> None:
    """Invite somebody, who opens the mail on her phone, logs in and says yes."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await open_tab(visitor, "Who keeps score")
    await arrive(visitor, "Who keeps score")
    await page.get_by_label("Their email address").fill(SCORER)
    await press(page, "Send the invitation")
    await expect(page.get_by_text("Invited, and not here yet")).to_be_visible()
    await look_at(visitor)
    mail = await story.house.mailbox.next_to(SCORER)
    assert mail.subject == f"{NAME} asks for your help on Mahjic"
    await scanned(story.scorer, mail)
    other = story.scorer.phone
    await other.page.goto(mail.link("/invitations/"))
    await log_in_as(story.scorer, SCORER)
    await arrive(other, f"You are invited by {NAME}")
    await press(other.page, "Yes, I\u2019ll do it")
    await arrive(other, NAME)
    tabs = other.page.get_by_role("navigation", name="This desk")
    await expect(tabs.get_by_role("link", name="Keys")).to_have_count(0)


async def both_enter_a_night(story: Story) -> None:
    """Owner and scorer type the same night at once; whoever sends second is asked, and sees why."""
    for who, lines in ((story.owner, FIRST), (story.scorer, SLIPPED)):
        page = who.phone.page
        await begin_night(who.phone, DAY)
        await type_round(page, 1, lines)
        await press(page, "Look at it")
        await expect(page.get_by_role("button", name="Send it")).to_be_visible()
    await press(story.owner.phone.page, "Send it")
    await arrive(story.owner.phone, SENT)
    page = story.scorer.phone.page
    async with with_faults(story.scorer.phone, "answered 409"):
        await press(page, "Send it")
        asked = page.get_by_role("heading", name="Is this night on record already?")
        await expect(asked).to_be_visible()
    await arrive(story.scorer.phone, "Saturday, Feb 7, 2026")
    for heading, points in (("On record", "125"), ("What you typed", "120")):
        card = page.locator(".card", has=page.get_by_role("heading", name=heading, exact=True))
        await expect(card.get_by_role("cell", name=points, exact=True)).to_be_visible()
    await press(page, "It is the same night: don\u2019t send mine")
    await expect(page.get_by_role("heading", level=1)).to_have_text(NAME)
    await expect(page.get_by_text("Not sent yet")).to_have_count(0)
    await story.note_new("both")


async def remove_the_scorer(story: Story) -> None:
    """Remove her while she types; her next press is refused in words, and nothing counts."""
    page, other = story.owner.phone.page, story.scorer.phone
    await begin_night(other, LATER)
    await type_round(other.page, 1, FIRST)
    before = await story.facts()
    await open_tab(story.owner.phone, "Who keeps score")
    await page.get_by_text(f"Change {SCORER}").click()
    await look_at(story.owner.phone)
    await press(page, f"Remove {SCORER}")
    await expect(page.get_by_text("Removed. They can no longer do anything here")).to_be_visible()
    await look_at(story.owner.phone)
    async with with_faults(other, "answered 404"):
        await press(other.page, "Look at it")
        await expect(other.page.get_by_role("alert")).to_contain_text("no longer have a desk here")
        await look_at(other)
    for path in ("", "/night", "/sessions", "/players"):
        await other.go(f"/desk/{CLUB}{path}", status=404)
        await expect(other.page.get_by_role("heading", level=1)).to_have_text(
            "You have no desk here"
        )
    await look_at(other)
    assert await story.facts() == before
