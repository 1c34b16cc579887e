"""An owner names a server for events, looks at what was sent there, and removes it."""

from datetime import UTC, datetime

from playwright.async_api import Browser, expect

from services.cli.demo.people import CLUB
from services.notices.webhooks.endpoints import add_endpoint, hold_endpoint, new_endpoint_id
from shared.notices.writing import Notice, write_notices
from tests.browser.desks.test_keeping_a_desk import OWNER, appoint_owner, heading
from tests.browser.logging_in import (
    log_in_by_code,
    look_at,
    slip,
)
from tests.browser.town import Town
from tests.browser.visitors import DESKTOP, PLAIN_PHONE, Device, Visitor, visiting

WEBHOOKS = f"/desk/{CLUB}/webhooks"
LONG = f"https://a-club-with-quite-a-long-name.example.org/{'events/' * 40}"
SAID = f"<b>{'W' * 300}</b>\u202edetrever"
NOW = datetime(2026, 2, 1, 12, 30, tzinfo=UTC)


async def send_something(town: Town) -> str:
    """Have a server take one event and refuse another; return its page."""
    endpoint_id = new_endpoint_id()
    async with town.running.pool.acquire() as connection, connection.transaction():
        await add_endpoint(connection, CLUB, endpoint_id, LONG, now=NOW)
        for kind in ("test", "source.suspended"):
            await write_notices(connection, [Notice(CLUB, kind, kind, NOW, {})])
        await connection.execute(
            "INSERT INTO mahjic.webhook_deliveries (endpoint_id, number, due_at, tries, tried_at, "
            "outcome, status, answer, took_ms) "
            "SELECT $1, number, CASE WHEN kind <> 'test' THEN $2::timestamptz END, 2, $2, "
            "CASE WHEN kind = 'test' THEN 'delivered' ELSE 'refused' END, 500, $3, 1234 "
            "FROM mahjic.notices WHERE source = $4 AND kind IN ('test', 'source.suspended')",
            endpoint_id,
            NOW,
            SAID,
            CLUB,
        )
        await connection.execute(
            "UPDATE mahjic.webhook_endpoints SET failures = 1, failing_since = $2, "
            "failed_at = $2, paused_until = $2 WHERE endpoint_id = $1",
            endpoint_id,
            NOW,
        )
        assert (await hold_endpoint(connection, CLUB, endpoint_id)).failures == 1
    return f"{WEBHOOKS}/{endpoint_id}"


async def name_a_server(owner: Visitor) -> None:
    """Try to name a server that is not on the open internet."""
    page = owner.page
    await owner.go(f"/desk/{CLUB}")
    await page.get_by_role("link", name="Webhooks", exact=True).click()
    await heading(page, "Webhooks")
    await look_at(owner)
    await page.get_by_label("The address of your program").fill("https://localhost/events")
    await slip(
        owner,
        "Add this address",
        page.get_by_role("alert").filter(has_text="not on the open internet"),
    )
    await expect(page.get_by_label("The address of your program")).to_have_value(
        "https://localhost/events"
    )


async def look_at_what_was_sent(owner: Visitor, here: str) -> None:
    """Open the address, its secret and both events."""
    page = owner.page
    await owner.go(WEBHOOKS)
    await look_at(owner)
    await page.get_by_role("link", name=LONG).click()
    await heading(page, "Events for one server")
    await page.get_by_text("Show the secret").click()
    await expect(page.get_by_text("whsec_")).to_be_visible()
    await look_at(owner)
    await page.get_by_role("button", name="Make a new secret").click()
    await expect(page.get_by_role("status")).to_contain_text("There is a new secret.")
    await look_at(owner)
    for words in ("A test", "The keys were suspended"):
        await owner.go(here)
        await page.get_by_role("link", name=words).click()
        await expect(page.get_by_text("[U+202E]detrever")).to_be_visible()
        await look_at(owner)
        await page.get_by_role("button", name="Send it again").click()
        await expect(page.get_by_role("status")).to_contain_text("It is sent again now.")


async def remove_it(owner: Visitor, here: str) -> None:
    page = owner.page
    await owner.go(here)
    await page.get_by_role("button", name="Switch it off").click()
    await expect(page.get_by_text("an owner switched it off")).to_be_visible()
    await look_at(owner)
    await page.get_by_role("link", name="Remove this address…").click()
    await heading(page, "Remove this address?")
    await look_at(owner)
    await page.get_by_role("button", name="Remove this address").click()
    await expect(page.get_by_role("status")).to_contain_text("Removed.")
    await look_at(owner)


async def keep_webhooks(browser: Browser, town: Town, device: Device) -> None:
    async with visiting(browser, town.url, device) as owner:
        await log_in_by_code(owner, town, OWNER, f"/desk/{CLUB}")
        await name_a_server(owner)
        here = await send_something(town)
        await look_at_what_was_sent(owner, here)
        await remove_it(owner, here)


async def test_from_the_first_address_to_its_end(
    browser: Browser,
    own_town: Town,
) -> None:
    await appoint_owner(own_town)
    await keep_webhooks(browser, own_town, PLAIN_PHONE)
    await own_town.running.pool.execute("DELETE FROM mahjic.notices")
    await keep_webhooks(browser, own_town, DESKTOP)
