"""The commands on the addresses of sources: what they list, and what they have sent at once."""

from collections.abc import AsyncIterator

import pytest

from services.notices.webhooks.endpoints import WebhookEndpoint, set_state
from tests.cli.running import Ended, end_of, mahjic, start
from tests.conftest import Database
from tests.notices.town import NoticeTown
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver, a_receiver, says
from tests.service import running_service

HEAD = ["id", "source", "address", "state", "waiting", "failing since", "next try"]
ANN, BO, CY = (f"{name}@example.com" for name in ("ann", "bo", "cy"))


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Run a server of a source."""
    async with a_receiver() as running:
        yield running


@pytest.fixture
async def hooked(own_database: Database) -> AsyncIterator[WebhookTown]:
    """Return a town whose clubs have servers, on the database that the commands work on."""
    async with running_service(own_database, wait_s_default=30) as service:
        hooks = WebhookTown(NoticeTown(service, await service.operator_key()))
        yield hooks
        await hooks.room.post.close()


async def run(own_database: Database, *arguments: str) -> Ended:
    """Run a command as a program, for the service of the town writes its log to our stdout."""
    started = await start("webhooks", *arguments, MAHJIC_DATABASE_URL=own_database.dsn)
    return await end_of(started)


async def fails_once(hooked: WebhookTown, receiver: Receiver, status: int = 500) -> WebhookEndpoint:
    """Have an address of a club fail at its first event, and return it."""
    receiver.usual = says(status)
    named = await hooked.name(receiver.url())
    await hooked.town.night(ANN, BO)
    assert await hooked.send_due() == ["failed"]
    receiver.usual = says(204)
    return await hooked.endpoint(named.endpoint_id)


async def test_addresses_are_listed_with_what_waits_for_them_and_can_be_chosen_by_source(
    hooked: WebhookTown, own_database: Database, receiver: Receiver
) -> None:
    assert (await run(own_database, "list")).rows == [HEAD]
    failing = await fails_once(hooked, receiver)
    well = await hooked.name(receiver.url("/events"), at="b-club")
    await hooked.town.night(ANN, CY, at="b-club")
    assert await hooked.send_due() == ["delivered"]
    url = f"http://127.0.0.1:{receiver.port}"
    listed = await run(own_database, "list")
    assert (listed.exit_code, listed.stderr) == (0, "")
    head, first, second = listed.rows
    assert head == HEAD
    assert first[:5] == [failing.endpoint_id, "a-club", f"{url}/", "on", "1"]
    assert first[5] == f"{failing.failing_since:%Y-%m-%dT%H:%MZ}"
    assert first[6] == f"{failing.paused_until:%Y-%m-%dT%H:%MZ}"
    assert second == [well.endpoint_id, "b-club", f"{url}/events", "on", "0", "-", "-"]
    assert (await run(own_database, "list", "--source", "b-club")).rows == [HEAD, second]


async def test_a_source_that_is_unknown_is_told(own_database: Database) -> None:
    ended = await mahjic("webhooks", "list", "--source", "nowhere")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr.startswith("unknown_source: There is no source 'nowhere'.")


@pytest.mark.parametrize("endpoint_id", ["wh_0123456789", "a-club", "ü", "x" * 5000])
async def test_an_address_that_is_not_there_is_told_with_what_to_do(
    own_database: Database, endpoint_id: str
) -> None:
    ended = await mahjic("webhooks", "retry", endpoint_id)
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == (
        "no_such_endpoint: There is no address with this id. "
        "`mahjic webhooks list` shows the ids.\n"
    )


async def test_what_waits_for_an_address_that_pauses_is_sent_at_once(
    hooked: WebhookTown, own_database: Database, receiver: Receiver
) -> None:
    endpoint = await fails_once(hooked, receiver)
    assert await hooked.send_due() == []
    ended = await run(own_database, "retry", endpoint.endpoint_id)
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, "1 event to send now.\n", "")
    assert await hooked.send_due() == ["delivered"]


async def test_an_address_that_failed_for_too_long_is_on_again_and_gets_all_of_it(
    hooked: WebhookTown, own_database: Database, receiver: Receiver
) -> None:
    endpoint = await fails_once(hooked, receiver)
    receiver.usual = says(500)
    while endpoint.state == "on":
        hooked.pass_time(days=1, hours=1)
        assert await hooked.send_due() == ["failed"]
        endpoint = await hooked.endpoint(endpoint.endpoint_id)
    assert endpoint.state == "failing"
    _, row = (await run(own_database, "list")).rows
    assert row[3] == f"failing since {endpoint.state_since:%Y-%m-%dT%H:%MZ}"
    receiver.usual = says(204)
    await hooked.town.night(ANN, CY, on="2026-02-07")
    assert await hooked.send_due() == []
    ended = await run(own_database, "retry", endpoint.endpoint_id)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout == (
        "The address is on again. 1 event to send now, then what has happened since.\n"
    )
    assert await hooked.send_due() == ["delivered", "delivered"]
    _, row = (await run(own_database, "list")).rows
    assert row[3:] == ["on", "0", "-", "-"]


async def test_an_address_that_is_gone_is_on_again(
    hooked: WebhookTown, own_database: Database, receiver: Receiver
) -> None:
    endpoint = await fails_once(hooked, receiver, status=410)
    assert endpoint.state == "gone"
    assert (await run(own_database, "retry", endpoint.endpoint_id)).exit_code == 0
    assert await hooked.send_due() == ["delivered"]


async def test_an_address_that_its_owner_has_switched_off_stays_off(
    hooked: WebhookTown, own_database: Database, receiver: Receiver
) -> None:
    endpoint = await fails_once(hooked, receiver)
    async with hooked.room.pool.acquire() as connection, connection.transaction():
        await set_state(connection, endpoint, "off", now=hooked.town.now())
    off = await hooked.endpoint(endpoint.endpoint_id)
    hooked.pass_time(days=1)
    ended = await run(own_database, "retry", endpoint.endpoint_id)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert ended.stdout == (
        "Nothing is sent, because an owner has switched this address off. Waiting: 1 event.\n"
    )
    assert await hooked.endpoint(endpoint.endpoint_id) == off
    assert await hooked.send_due() == []
    assert len(receiver.requests) == 1
