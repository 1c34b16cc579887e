"""What a visitor of a town does on many ways: logs in, looks at a page, and makes a slip."""

from playwright.async_api import Locator, expect

from tests.accounts.people import READ_MAILS, Mailed
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.town import Town
from tests.browser.visitors import Visitor

ALICE = "alice@example.com"


async def last_mail(town: Town) -> Mailed:
    return Mailed(*(await town.running.pool.fetch(READ_MAILS))[-1])


async def ask(visitor: Visitor, address: str = ALICE, to: str = "/account") -> None:
    page = visitor.page
    await visitor.go(f"/login?to={to}")
    await page.get_by_label("Your email address").fill(address)
    await page.get_by_role("button", name="Mail me a link").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Check your mail")
    await look_at(visitor)


async def look_at(visitor: Visitor) -> None:
    """Fail if the page keeps anybody from using it."""
    await check_axe(visitor.page)
    await check_fits(visitor)


async def log_in_by_code(
    visitor: Visitor, town: Town, address: str = ALICE, to: str = "/account"
) -> None:
    await ask(visitor, address, to)
    await visitor.page.get_by_label("The code in the mail").fill((await last_mail(town)).code)
    await visitor.page.get_by_role("button", name="Go on").click()


async def slip(visitor: Visitor, button: str, told: Locator | None = None) -> None:
    """Press a button while something is still wrong; the page says so, and anybody can use it.

    Where `told` is not given, it says so in an alert.
    """
    visitor.status = 422
    await visitor.page.get_by_role("button", name=button, exact=True).click()
    await expect(told or visitor.page.get_by_role("alert")).to_be_visible()
    await look_at(visitor)
    visitor.status = 200
