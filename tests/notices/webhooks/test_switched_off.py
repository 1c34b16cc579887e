"""A server that fails for days: its owners are told, and once it is back nothing is missing."""

from services.accounts.members.at_machine import add_member
from services.accounts.members.notices import MemberNotices
from services.accounts.room import Chance
from services.notices.keeping import sweep_notices
from services.notices.webhooks.endpoints import WebhookEndpoint, set_state
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, says

OWNER = "olive@example.com"
READ_MAILS = "SELECT address, subject, plain FROM mahjic.mails WHERE kind = 'webhook_off'"


async def with_an_owner(hooked: WebhookTown) -> None:
    """Give the club an owner."""
    await hooked.town.key("a-club")
    outbox = hooked.town.service.service.process.outbox
    notices = MemberNotices(outbox, lambda: "https://mahjic.example")
    chance = Chance(now=hooked.town.now)
    await add_member(hooked.room.pool, notices, "a-club", OWNER, role="owner", chance=chance)


async def fail_for_days(hooked: WebhookTown, endpoint: WebhookEndpoint) -> WebhookEndpoint:
    """Let time pass a day at a time until the address is switched off."""
    for _day in range(14):
        await hooked.send_due()
        now = await hooked.endpoint(endpoint.endpoint_id)
        if now.state != "on":
            return now
        hooked.pass_time(days=1)
    raise AssertionError("It was never switched off.")


async def test_owners_are_mailed_and_what_was_missed_arrives_or_is_read(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    await with_an_owner(hooked)
    endpoint = await hooked.name(receiver.url())
    receiver.usual = says(503)
    for month in range(1, 4):
        await hooked.town.night("ann@example.com", "bo@example.com", on=f"2026-0{month}-01")
    off = await fail_for_days(hooked, endpoint)
    assert off.state == "failing"
    (mail,) = await hooked.room.pool.fetch(READ_MAILS)
    assert mail["address"] == OWNER
    assert "/desk/a-club/webhooks" in mail["plain"]
    assert "127.0.0.1" in mail["plain"]
    # What happens meanwhile is not sent, nor dropped.
    await hooked.town.night("ann@example.com", "bo@example.com", on="2026-04-01")
    tried = len(receiver.requests)
    assert await hooked.send_due() == []
    told = await hooked.town.told()
    assert len(told) == 4
    receiver.usual = says(200)
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await set_state(connection, off, "on", now=hooked.town.now())
    hooked.pass_time(days=1)
    assert await hooked.send_due() == ["delivered"] * 4
    arrived = sorted((each.event for each in receiver.requests[tried:]), key=lambda e: e["number"])
    assert arrived == told
    assert len(await hooked.room.pool.fetch(READ_MAILS)) == 1


async def test_what_is_older_than_thirty_days_is_not_sent_and_no_row_of_it_stays(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.send_due()
    receiver.usual = says(500)
    await hooked.town.night("ann@example.com", "bo@example.com", on="2026-02-01")
    await hooked.send_due()
    assert len(await hooked.deliveries(endpoint)) == 2
    hooked.pass_time(days=31)
    await sweep_notices(hooked.room.pool, hooked.town.now())
    assert await hooked.deliveries(endpoint) == []
    assert await hooked.send_due() == []
