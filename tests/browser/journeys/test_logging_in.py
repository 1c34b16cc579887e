"""People log in with a mail or a passkey, on a phone and at a desk, in a real browser."""

import re
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, expect

from services.accounts.room import Chance
from services.accounts.staff import add_staff
from shared.db.server.embedded import EmbeddedServer
from tests.accounts.people import READ_MAILS, Mailed
from tests.browser.axe import check_axe
from tests.browser.fitting import check_fits
from tests.browser.passkeys import a_device_with_passkeys
from tests.browser.town import Town, empty_town
from tests.browser.visitors import DESKTOP, PHONE, PLAIN_DESKTOP, Device, Visitor, visiting
from tests.conftest import TEMPLATE, fresh_database

ALICE = "alice@example.com"
_LINK = re.compile(r"http://localhost:\d+(/login/link/\S+)")


@pytest.fixture
async def own_town(browser: Browser, postgres_server: EmbeddedServer) -> AsyncIterator[Town]:
    """Return a town at localhost, where cookies and passkeys are bound to a name."""
    async with (
        fresh_database(postgres_server, template=TEMPLATE) as database,
        empty_town(database) as town,
    ):
        port = int(town.url.rpartition(":")[2])
        town.running.service.process.origin.bind(port)
        town.url = f"http://localhost:{port}"
        yield town


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


@pytest.mark.parametrize("device", [PHONE, DESKTOP, PLAIN_DESKTOP], ids=lambda device: device.name)
async def test_by_mail_with_and_without_javascript(
    browser: Browser, own_town: Town, device: Device
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await visitor.go("/account")
        await expect(page).to_have_url(f"{own_town.url}/login?to=/account")
        await look_at(visitor)
        await log_in_by_code(visitor, own_town)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
        await look_at(visitor)
        await page.get_by_role("button", name="Log out here").click()
        await ask(visitor)
        (path,) = _LINK.findall((await last_mail(own_town)).text)
        await visitor.go(path)
        await expect(page.get_by_text(ALICE)).to_be_visible()
        await look_at(visitor)
        await page.get_by_role("button", name="Log in here").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")


async def test_a_passkey_is_made_used_elsewhere_and_removed(
    browser: Browser, own_town: Town
) -> None:
    async with visiting(browser, own_town.url, DESKTOP) as visitor:
        page = visitor.page
        async with a_device_with_passkeys(page) as device:
            await log_in_by_code(visitor, own_town)
            await page.get_by_role("button", name="Make a passkey").click()
            await expect(page.get_by_text("Chrome on Linux").first).to_be_visible()
            await expect(page.get_by_text("You can log in by mail, too.")).to_be_visible()
            await page.get_by_role("button", name="Log out here").click()
            await visitor.go("/login")
            await page.get_by_role("button", name="Log in with a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Do you play?")
            await visitor.go("/account")
            await page.get_by_role("button", name="Switch off logging in by mail").click()
            await expect(page.get_by_text("with a passkey only")).to_be_visible()
            await check_axe(page)
            assert [each["isResidentCredential"] for each in await device.kept()] == [True]


async def test_new_staff_add_a_passkey_first_and_come_in_with_it(
    browser: Browser, own_town: Town
) -> None:
    await add_staff(own_town.running.pool, ALICE, "operator", Chance())
    async with visiting(browser, own_town.url, DESKTOP) as visitor:
        page = visitor.page
        async with a_device_with_passkeys(page):
            await log_in_by_code(visitor, own_town)
            await expect(page.get_by_role("heading", level=1)).to_have_text("Add your passkey")
            await look_at(visitor)
            await page.get_by_role("button", name="Make a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Log in")
            await page.get_by_role("button", name="Log in with a passkey").click()
            await expect(page.get_by_role("heading", level=1)).to_have_text("Your account")
            await page.get_by_role("link", name="Staff desk").click()
            await page.get_by_role("main").get_by_role("link", name="What staff did").last.click()
            await expect(
                page.get_by_role("rowheader", name="Made somebody an operator")
            ).to_be_visible()
            await look_at(visitor)
    kinds = await own_town.running.pool.fetch("SELECT kind, by_passkey FROM mahjic.logins")
    assert [tuple(row) for row in kinds] == [("staff", True)]


@pytest.mark.parametrize("device", [PHONE, PLAIN_DESKTOP], ids=lambda device: device.name)
async def test_an_address_of_another_account_joins_the_two(
    browser: Browser, own_town: Town, device: Device
) -> None:
    async with visiting(browser, own_town.url, device) as visitor:
        page = visitor.page
        await log_in_by_code(visitor, own_town, "ben@example.com")
        await page.get_by_role("button", name="Log out here").click()
        await log_in_by_code(visitor, own_town)
        await page.get_by_label("Add another address of yours").fill("ben@example.com")
        await page.get_by_role("button", name="Mail a link to it").click()
        await page.get_by_label("The code in the mail").fill((await last_mail(own_town)).code)
        await page.get_by_role("button", name="Go on").click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Join two accounts")
        await look_at(visitor)
        await page.get_by_role("button", name="Make them one").click()
        await expect(page.get_by_text("ben@example.com").first).to_be_visible()
        await look_at(visitor)
