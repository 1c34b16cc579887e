"""What arrives at the servers of sources, how often it is tried, and what the owners see of it."""

import asyncio
import json
from datetime import timedelta

import pytest
from standardwebhooks import Webhook

from services.notices.webhooks.endpoints import (
    begin_secret,
    end_old_secret,
    send_again,
    send_since,
    set_state,
)
from shared.access.sources import resume_source, suspend_source
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, Request, says

# The schedule of the specification, after each failure.
PAUSES = [
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=each) for each in (2, 5, 10, 14, 20, 24)),
]


async def test_what_happened_arrives_signed_and_the_same_as_the_interface_tells_it(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    endpoint = await hooked.name(receiver.url("/events?of=club"))
    await hooked.town.night("ann@example.com", "bo@example.com")
    assert await hooked.send_due() == ["delivered"]
    (got,) = receiver.requests
    (told,) = await hooked.town.told()
    assert got.path == "/events?of=club"
    assert got.headers["content-type"] == "application/json"
    assert got.headers["webhook-id"] == f"msg_{endpoint.endpoint_id}_{told['number']}"
    # The reference implementation of Standard Webhooks agrees, and reads what is told.
    assert Webhook(endpoint.secrets[0]).verify(got.body, got.headers) == told
    assert told["type"] == "session.rated"
    (delivery,) = await hooked.deliveries(endpoint)
    assert (delivery.due_at, delivery.tries, delivery.status) == (None, 1, 204)


async def test_while_a_secret_is_changed_both_sign(hooked: WebhookTown, receiver: Receiver) -> None:
    endpoint = await hooked.name(receiver.url())
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await begin_secret(connection, endpoint)
    both = await hooked.endpoint(endpoint.endpoint_id)
    assert both.secrets[1] == endpoint.secrets[0] != both.secrets[0]
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.send_due()
    for secret in both.secrets:
        Webhook(secret).verify(receiver.requests[0].body, receiver.requests[0].headers)
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await end_old_secret(connection, both)
    assert (await hooked.endpoint(endpoint.endpoint_id)).secrets == [both.secrets[0]]


async def test_a_server_that_fails_is_tried_as_the_schedule_says_and_then_switched_off(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    receiver.usual = says(500, "broken")
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    assert await hooked.send_due() == ["failed"]
    began = hooked.town.ahead
    for count, pause in enumerate([*PAUSES, PAUSES[-1], PAUSES[-1]], start=1):
        now = await hooked.endpoint(endpoint.endpoint_id)
        if now.state != "on":
            break
        assert len(receiver.requests) == now.failures == count
        hooked.pass_time(seconds=(pause - timedelta(seconds=1)).total_seconds())
        assert await hooked.send_due() == []
        hooked.pass_time(seconds=2)
        assert await hooked.send_due() == ["failed"]
    off = await hooked.endpoint(endpoint.endpoint_id)
    assert off.state == "failing"
    assert timedelta(days=5) <= hooked.town.ahead - began < timedelta(days=6)


async def test_one_event_that_a_server_does_not_like_holds_up_no_other(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.town.follow()
    first = (await hooked.town.told())[0]["number"]
    good, bad = says(200), says(422, "What is this?")

    async def picky(request: Request, writer: asyncio.StreamWriter) -> None:
        await (bad if request.event["number"] == first else good)(request, writer)

    receiver.usual = picky
    await hooked.send_due()
    for month in range(2, 6):
        await hooked.town.night("ann@example.com", "bo@example.com", on=f"2026-0{month}-01")
        hooked.pass_time(seconds=6)
        await hooked.send_due()
    hooked.pass_time(hours=1)
    await hooked.send_due()
    waiting = [each.number for each in await hooked.deliveries(endpoint) if each.due_at]
    assert waiting == [first]
    assert (await hooked.endpoint(endpoint.endpoint_id)).state == "on"


@pytest.mark.parametrize(
    ("asked", "waits"),
    [("90", 90), ("0", 5), ("999999", 86_400), ("Fri, 01 Jan 2038 00:00:00 GMT", 86_400)],
)
async def test_a_server_that_says_when_to_come_again_is_listened_to_within_a_day(
    hooked: WebhookTown, receiver: Receiver, asked: str, waits: int
) -> None:
    receiver.usual = says(503, retry_after=asked)
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    before = hooked.town.now()
    await hooked.send_due()
    paused_until = (await hooked.endpoint(endpoint.endpoint_id)).paused_until
    assert paused_until is not None
    assert waits <= (paused_until - before).total_seconds() < waits + 10


async def test_gone_switches_off_at_once_and_nothing_is_dropped_meanwhile(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    receiver.usual = says(410)
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.send_due()
    off = await hooked.endpoint(endpoint.endpoint_id)
    assert off.state == "gone"
    await hooked.town.night("ann@example.com", "bo@example.com", on="2026-02-01")
    assert await hooked.send_due() == []
    receiver.usual = says(200)
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await set_state(connection, off, "on", now=hooked.town.now())
    hooked.pass_time(seconds=6)
    assert await hooked.send_due() == ["delivered", "delivered"]
    numbers = [json.loads(each.body)["number"] for each in receiver.requests[1:]]
    assert sorted(numbers) == [each["number"] for each in await hooked.town.told()]


async def test_events_are_sent_again_one_or_all_since_a_number(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    for month in range(1, 4):
        await hooked.town.night("ann@example.com", "bo@example.com", on=f"2026-0{month}-01")
    told = [each["number"] for each in await hooked.town.told()]
    endpoint = await hooked.name(receiver.url())
    # What happened before is sent only if somebody asks for it.
    assert await hooked.send_due() == []
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await send_since(connection, endpoint, told[1])
    assert await hooked.send_due() == ["delivered", "delivered"]
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await send_again(connection, endpoint, told[2], now=hooked.town.now())
    assert await hooked.send_due() == ["delivered"]
    assert [each.event["number"] for each in receiver.requests] == [told[1], told[2], told[2]]
    ids = [each.headers["webhook-id"] for each in receiver.requests]
    assert ids[1] == ids[2] != ids[0]


async def test_an_event_that_tells_nothing_any_more_is_left_out(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.town.follow()
    endpoint = await hooked.name(receiver.url())
    await hooked.town.verify("ann@example.com")
    await hooked.until_noticed("player.verified")
    await hooked.town.hide("ann@example.com")
    assert set(await hooked.send_due()) == {"left_out"}
    assert receiver.requests == []
    assert {each.outcome for each in await hooked.deliveries(endpoint)} == {"left_out"}


async def test_a_suspended_source_is_told_so_and_no_more(
    hooked: WebhookTown, receiver: Receiver
) -> None:
    await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.town.follow()
    await suspend_source(hooked.room.pool, "a-club")
    await hooked.town.night("ann@example.com", "cy@example.com", at="b-club")
    await hooked.town.verify("ann@example.com")
    await hooked.until_noticed("player.verified")
    await hooked.send_due()
    kinds = {each.event["type"] for each in receiver.requests}
    assert kinds == {"session.rated", "source.suspended"}
    await resume_source(hooked.room.pool, "a-club")
    await hooked.send_due()
    assert "player.verified" in {each.event["type"] for each in receiver.requests}
