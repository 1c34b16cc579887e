"""Events as an operator has them sent: by processes of their own, beside Kafka and without it."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager

import httpx
from standardwebhooks import Webhook

from tests.conftest import Database
from tests.log.deadlines import until
from tests.notices.webhooks.club import WebhookTown
from tests.notices.webhooks.receiver import Receiver
from tests.processes import MOVED, Served, working


def sending(environment: Mapping[str, str]) -> AbstractAsyncContextManager[Served]:
    """Run `mahjic webhooks send` while the context is open."""
    return working(environment, "webhooks", "send")


async def test_beside_kafka_several_processes_send_each_event_once_while_kafka_is_away(
    hooked: WebhookTown, database: Database, receiver: Receiver
) -> None:
    endpoint = await hooked.name(receiver.url("/events"))
    for day in range(1, 6):
        await hooked.town.night("ann@example.com", "bo@example.com", on=f"2026-02-0{day}")
    told = await hooked.town.told()
    await database.pool.execute(MOVED)
    environment = {
        "MAHJIC_DATABASE_URL": database.dsn,
        "MAHJIC_KAFKA_SERVERS": "127.0.0.1:1",
        "MAHJIC_WEBHOOKS_LOOPBACK": "true",
    }
    async with sending(environment) as one, sending(environment) as other:
        got = await receiver.until_there(len(told), "/events")
        assert {each.event["number"] for each in got} == {each["number"] for each in told}

        async def all_settled() -> bool:
            return not any(each.due_at for each in await hooked.deliveries(endpoint))

        await until(all_settled)
        async with httpx.AsyncClient() as client:
            for served in (one, other):
                assert (await client.get(f"{served.url}/readyz")).status_code == 200
                figures = (await client.get(f"{served.url}/metrics")).text
                assert "mahjic_webhooks_late_seconds" in figures
    assert len(receiver.requests) == len(told)
    for each in got:
        Webhook(endpoint.secrets[0]).verify(each.body, each.headers)
    for line in (one.log, other.log):
        assert "ann@example.com" not in line
        assert endpoint.secrets[0] not in line


async def test_without_the_setting_for_tests_nothing_is_sent_to_the_machine_itself(
    hooked: WebhookTown, database: Database, receiver: Receiver
) -> None:
    endpoint = await hooked.name(receiver.url())
    await hooked.town.night("ann@example.com", "bo@example.com")
    await hooked.town.follow()
    async with sending({"MAHJIC_DATABASE_URL": database.dsn}):

        async def has_failed() -> bool:
            return (await hooked.endpoint(endpoint.endpoint_id)).failures > 0

        await until(has_failed)
    assert receiver.requests == []
