"""The program that a test kills: it sends the events of a database to servers of this machine."""

import asyncio
import random
import sys

from prometheus_client import CollectorRegistry

from services.notices.webhooks.lanes import run_webhooks
from services.notices.webhooks.network import CheckedNetwork
from services.notices.webhooks.posting import WebhookPost
from services.notices.webhooks.sending import WebhookRoom
from shared.db.bell import Bell, listening
from shared.db.pool import open_pool
from shared.notices.writing import NOTICES_CHANNEL, Connection
from tests.mail.killed.hurried import hurried


async def nobody_is_switched_off(
    connection: Connection, source: str, *, host: str, is_gone: bool
) -> None:
    raise AssertionError((connection, source, host, is_gone))


async def send(dsn: str, began_s: float) -> None:
    pool, bell = await open_pool(dsn, application_name="mahjic webhooks", size_max=10), Bell()
    room = WebhookRoom(
        pool,
        WebhookPost(CheckedNetwork(loopback=True), loopback=True),
        nobody_is_switched_off,
        lambda: hurried(began_s),
        random.random,
    )
    async with listening(pool, bell, (NOTICES_CHANNEL,)):
        print("It sends", flush=True)  # noqa: T201
        await run_webhooks(room, bell, CollectorRegistry())


if __name__ == "__main__":
    asyncio.run(send(sys.argv[1], float(sys.argv[2])))
