"""How the club comes in: it applies, is asked, answers and is approved, and makes its first key."""

import re

from playwright.async_api import expect

from tests.browser.desks.story import (
    CLUB,
    NAME,
    OPERATOR,
    OWNER,
    Story,
    arrive,
    log_in,
    look_at,
    open_tab,
    press,
)
from tests.browser.life.steps import log_in_as, press_link, scanned

QUESTION = "Where do you play, and since when?"
ANSWER = "In the old mill by the river, since 2011. Ask for Rose."
TYPED = {
    "Name of your club, league or platform": NAME,
    "Tell us about it": "Thirty people who play on Tuesdays by the river.",
    "How do you keep results today?": "On paper, and in a spreadsheet afterward.",
    "About how many players?": "30",
    "About how many game nights a year?": "50",
    "Your name": "Rose Tilden",
    "Your email address": OWNER,
}


async def make_staff(story: Story) -> None:
    """Let the new operator add a passkey, and come in with it."""
    page, visitor = story.staff.phone.page, story.staff.phone
    await log_in(story.staff, OPERATOR, "/staff")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Add your passkey")
    # Before they have one, there is nothing for them.
    for path in ("/staff", "/staff/applications", f"/desk/{CLUB}"):
        await visitor.go(path)
        await expect(page).to_have_url(f"{story.house.url}/account")
    await press(page, "Make a passkey")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
    await visitor.go("/staff/applications")
    await press(page, "Log in with a passkey")
    await expect(page.get_by_text("No application is waiting for a decision.")).to_be_visible()
    await look_at(visitor)


async def apply(story: Story) -> None:
    """Find the way to the form, fill it in, prove the address, look at it once more, send it."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await visitor.go("/submit")
    await look_at(visitor)
    await page.get_by_role("main").get_by_role("link", name="Become a source").click()
    await arrive(visitor, "Become a source")
    for label, text in TYPED.items():
        await page.get_by_label(label).fill(text)
    await page.get_by_role("radio", name="A league").check()
    await page.get_by_label("Region").select_option("midwest")
    await press(page, "Continue, and confirm my address")
    await arrive(visitor, "Check your mail")
    mail = await story.house.mailbox.next_to(OWNER)
    assert mail.subject == "One more step to send your application to Mahjic"
    await press_link(story.owner, mail, "Log in here")
    await arrive(visitor, "One more step: send it")
    await press(page, "Send the application")
    await arrive(visitor, "Your application is with us")
    await scanned(story.owner, await story.house.mailbox.next_to(OWNER))


async def be_asked(story: Story) -> None:
    """Staff find the application and ask something; the club answers on its phone."""
    desk, phone = story.staff.phone, story.owner.phone
    await desk.go("/staff")
    await look_at(desk)
    await desk.page.get_by_role("main").get_by_role("link", name="Applications").last.click()
    await desk.page.get_by_role("link", name=NAME).click()
    await arrive(desk, NAME)
    await desk.page.get_by_label("Your question").fill(QUESTION)
    await press(desk.page, "Ask")
    await expect(desk.page.get_by_text("The applicant gets a mail.")).to_be_visible()
    await look_at(desk)
    mail = await story.house.mailbox.next_to(OWNER)
    assert QUESTION in mail.text
    await scanned(story.owner, mail)
    await phone.page.goto(mail.link("/become-a-source/"))
    await arrive(phone, "We have a question")
    await phone.page.get_by_label(QUESTION).fill(ANSWER)
    await press(phone.page, "Send my answer")
    await arrive(phone, "Your application is with us")
    await expect(phone.page.get_by_text(ANSWER)).to_be_visible()


async def be_approved(story: Story) -> None:
    """Staff read the answer and approve; the mail leads the club to its desk, by a login."""
    desk, phone = story.staff.phone, story.owner.phone
    await desk.page.reload()
    await expect(desk.page.get_by_text(ANSWER)).to_be_visible()
    await expect(desk.page.get_by_label("Short name")).to_have_value(CLUB)
    await press(desk.page, "Approve, and make the source")
    await expect(desk.page.get_by_text("Approved. The source now exists")).to_be_visible()
    await look_at(desk)
    mail = await story.house.mailbox.next_about(f"{NAME} is a source of Mahjic now", OWNER)
    # At home, on another day.
    await phone.page.context.clear_cookies()
    await phone.page.goto(mail.link("/desk/"))
    await arrive(phone, "Log in")
    await log_in_as(story.owner, OWNER)
    await arrive(phone, NAME)
    await expect(phone.page).to_have_url(f"{story.house.url}/desk/{CLUB}")


async def make_the_first_key(story: Story) -> None:
    """Make a key, which is shown once, and works."""
    page, visitor = story.owner.phone.page, story.owner.phone
    await open_tab(visitor, "Keys")
    await arrive(visitor, "Keys for programs")
    await page.get_by_label("What is it for?").fill("Score app")
    await press(page, "Make the key and show it")
    shown = page.get_by_role("main").locator("code")
    await expect(shown).to_have_text(re.compile(r"^mjk_\w{43}$"))
    await look_at(visitor)
    story.key = await shown.inner_text()
    await page.get_by_role("link", name="I have saved it").click()
    await expect(page.get_by_text("Score app").first).to_be_visible()
    assert story.key not in await page.content()
    assert await story.listed() == []
    assert story.key not in story.house.read_log()
