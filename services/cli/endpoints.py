"""The commands that look at the addresses to which events are sent, and try them at once."""

from collections.abc import Sequence
from typing import Annotated

import asyncpg
import typer

from services.cli.terminal.options import DataFolder, on_database
from services.cli.terminal.output import minute, say, show_table
from services.notices.webhooks.endpoints import RetriedEndpoint, retry_now
from services.notices.webhooks.looking import WebhookStanding, list_standings
from shared.db.sandbox import time_on

COLUMNS = ("id", "source", "address", "state", "waiting", "failing since", "next try")


def list_all(
    source: Annotated[
        str | None, typer.Option("--source", metavar="SLUG", help="Only those of this source.")
    ] = None,
    data: DataFolder = None,
) -> None:
    """List the addresses, how many events wait for each, and since when it fails."""

    async def read(pool: asyncpg.Pool) -> Sequence[WebhookStanding]:
        async with pool.acquire() as connection:
            return await list_standings(connection, source)

    show_table(COLUMNS, [_row(each) for each in on_database(data, read)])


def retry(
    endpoint_id: Annotated[
        str, typer.Argument(metavar="ID", help="As `mahjic webhooks list` shows it.")
    ],
    data: DataFolder = None,
) -> None:
    """Send what waits for an address now, and switch it on again if it was failing or gone."""

    async def work(pool: asyncpg.Pool) -> RetriedEndpoint:
        return await retry_now(pool, endpoint_id, now=await time_on(pool))

    retried = on_database(data, work)
    events = f"{retried.waiting} {'event' if retried.waiting == 1 else 'events'}"
    if retried.was == "off":
        say(f"Nothing is sent, because an owner has switched this address off. Waiting: {events}.")
    elif retried.was == "on":
        say(f"{events} to send now.")
    else:
        say(f"The address is on again. {events} to send now, then what has happened since.")


def _row(each: WebhookStanding) -> Sequence[str]:
    return (
        each.endpoint_id,
        each.source,
        each.url,
        "on" if each.state == "on" else f"{each.state} since {minute(each.state_since)}",
        str(each.waiting),
        "-" if each.failing_since is None else minute(each.failing_since),
        "-" if each.paused_until is None else minute(each.paused_until),
    )
