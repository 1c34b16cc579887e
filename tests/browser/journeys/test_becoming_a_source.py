"""A club applies, is asked, answers, is approved, and sees its desk; another one is declined."""

from contextlib import AsyncExitStack

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from services.accounts.room import Chance
from services.accounts.staff import add_staff
from tests.browser.logging_in import (
    ALICE,
    last_mail,
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_PHONE, Device, Visitor, visiting

STAFF = "staff@example.com"
TYPED = {
    "Name of your club": "Lakeside Mahjong Club",
    "Web site or social page": "lakeside.example.org",
    "Tell us about it": "We play on Tuesdays in the library of Lakeside.",
    "How do you keep results today?": "On paper.",
    "About how many players?": "forty",
    "About how many game nights": "50",
    "Your name": "Alice Baker",
}


def title(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


async def fill_in(applicant: Visitor, address: str = ALICE) -> None:
    """Fill in the form, with one mistake, and mend it."""
    page = applicant.page
    for label, text in TYPED.items():
        await page.get_by_label(label).fill(text)
    await page.get_by_label("A club").check()
    await page.get_by_label("Region").select_option("Midwest")
    await page.get_by_label("Your email address").fill(address)
    await slip(
        applicant,
        "Continue, and confirm my address",
        page.get_by_role("alert").filter(has_text="One thing needs your attention"),
    )
    await page.get_by_role("link", name="Write about how many players").click()
    await expect(page.get_by_label("Tell us about it")).to_have_value(TYPED["Tell us about it"])
    await page.get_by_label("About how many players?").fill("40")
    await page.get_by_role("button", name="Continue, and confirm my address").click()


async def apply(applicant: Visitor, town: Town, address: str = ALICE) -> None:
    """Apply from the front page on, and send it."""
    page = applicant.page
    await applicant.go("/")
    await page.get_by_role("link", name="Become a source").click()
    await look_at(applicant)
    await fill_in(applicant, address)
    await expect(title(page)).to_have_text("Check your mail")
    await page.get_by_label("The code in the mail").fill((await last_mail(town)).code)
    await page.get_by_role("button", name="Go on").click()
    await expect(title(page)).to_have_text("One more step: send it")
    await look_at(applicant)
    await page.get_by_role("link", name="Change something first").click()
    await look_at(applicant)
    await page.get_by_label("Your name").fill("Alice B.")
    await page.get_by_role("button", name="Save, and look at it again").click()
    await page.get_by_role("button", name="Send the application").click()
    await expect(title(page)).to_have_text("Your application is with us")
    await look_at(applicant)


async def come_to_desk(staff: Visitor, town: Town) -> None:
    """Log a reviewer in with a new passkey."""
    page = staff.page
    await add_staff(town.running.pool, STAFF, "reviewer", Chance())
    await log_in_by_code(staff, town, STAFF)
    await page.get_by_role("button", name="Make a passkey").click()
    await page.get_by_role("button", name="Log in with a passkey").click()
    await expect(title(page)).to_have_text("Your account")
    await staff.go("/staff/applications")
    await look_at(staff)


async def ask(staff: Visitor) -> None:
    """Ask the one who waits, after a slip."""
    page = staff.page
    await page.get_by_role("link", name=TYPED["Name of your club"]).click()
    await look_at(staff)
    await page.get_by_label("Your question").fill("x" * 1_001)
    await slip(staff, "Ask")
    await page.get_by_label("Your question").fill("Who keeps score?")
    await page.get_by_role("button", name="Ask").click()
    await expect(page.get_by_role("status")).to_have_text("Asked. The applicant gets a mail.")
    await look_at(staff)


async def approve(staff: Visitor) -> None:
    """Approve it under a short name, after one that nobody gets."""
    page = staff.page
    await page.reload()
    await expect(page.get_by_text("I do, with Ben.")).to_be_visible()
    await page.get_by_label("Short name", exact=True).fill("mahjic")
    await slip(staff, "Approve, and make the source")
    await page.get_by_label("Short name", exact=True).fill("lakeside")
    await page.get_by_role("button", name="Approve, and make the source").click()
    await expect(page.get_by_role("status")).to_contain_text("Approved.")
    await look_at(staff)
    await staff.go("/staff/applications?which=decided")
    await look_at(staff)


@pytest.mark.parametrize("device", [PHONE, PLAIN_PHONE], ids=lambda device: device.name)
async def test_a_club_applies_is_asked_answers_is_approved_and_sees_its_desk(
    browser: Browser,
    own_town: Town,
    device: Device,
) -> None:
    async with AsyncExitStack() as stack:
        applicant = await stack.enter_async_context(visiting(browser, own_town.url, device))
        staff = await stack.enter_async_context(visiting(browser, own_town.url, DESKTOP))
        await stack.enter_async_context(a_device_with_passkeys(staff.page))
        page = applicant.page
        await apply(applicant, own_town)
        await come_to_desk(staff, own_town)
        await ask(staff)
        await page.reload()
        await expect(title(page)).to_have_text("We have a question")
        await look_at(applicant)
        await page.get_by_label("Who keeps score?").fill("I do, with Ben.")
        await page.get_by_role("button", name="Send my answer").click()
        await expect(title(page)).to_have_text("Your application is with us")
        await look_at(applicant)
        await approve(staff)
        await page.reload()
        await expect(title(page)).to_have_text("Welcome to Mahjic")
        await look_at(applicant)
        await page.get_by_role("link", name="Go to your desk").click()
        await expect(title(page)).to_have_text(TYPED["Name of your club"])
        await expect(page.get_by_role("link", name="make its first key")).to_be_visible()
        await look_at(applicant)
        # The way back to it, by another login.
        await page.context.clear_cookies()
        await applicant.go("/submit")
        await page.get_by_role("link", name="Go to my desk").click()
        await page.get_by_label("Your email address").fill(ALICE)
        await page.get_by_role("button", name="Mail me a link").click()
        await page.get_by_label("The code in the mail").fill((await last_mail(own_town)).code)
        await page.get_by_role("button", name="Go on").click()
        await expect(title(page)).to_have_text(TYPED["Name of your club"])


async def test_a_club_is_declined_reads_why_and_finds_all_its_applications(
    browser: Browser,
    own_town: Town,
) -> None:
    async with AsyncExitStack() as stack:
        applicant = await stack.enter_async_context(visiting(browser, own_town.url, PHONE))
        staff = await stack.enter_async_context(visiting(browser, own_town.url, DESKTOP))
        await stack.enter_async_context(a_device_with_passkeys(staff.page))
        page = applicant.page
        await apply(applicant, own_town)
        await come_to_desk(staff, own_town)
        await staff.page.get_by_role("link", name=TYPED["Name of your club"]).click()
        await staff.page.get_by_label("The reason").fill("We can’t find your club.")
        await staff.page.get_by_role("button", name="Decline").click()
        await expect(staff.page.get_by_role("status")).to_contain_text("Declined.")
        await look_at(staff)
        await page.reload()
        await expect(title(page)).to_have_text("Your application was declined")
        await look_at(applicant)
        await page.get_by_role("link", name="Apply again").click()
        await fill_in(applicant)
        await expect(title(page)).to_have_text("One more step: send it")
        await applicant.go("/become-a-source/mine")
        await expect(page.get_by_role("listitem").filter(has_text="Not sent yet")).to_be_visible()
        await look_at(applicant)
        await page.get_by_role("link", name="Not sent yet").click()
        await page.get_by_role("button", name="Throw it away").click()
        await page.context.clear_cookies()
        await log_in_by_code(applicant, own_town, "nobody@example.com", "/become-a-source/mine")
        await expect(page.get_by_text("There is no application")).to_be_visible()
        await look_at(applicant)
