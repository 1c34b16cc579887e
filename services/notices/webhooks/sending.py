"""Sends one event to one address, and keeps what came of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol, TypeAlias
from urllib.parse import urlsplit

import asyncpg
import orjson

from services.notices.answers import EventAnswer
from services.notices.reading import read_numbered
from services.notices.webhooks.endpoints import put_state
from services.notices.webhooks.posting import GONE, Posted, WebhookPost
from services.notices.webhooks.schedule import has_failed_too_long
from services.notices.webhooks.signing import message_id, signed_headers
from services.notices.webhooks.taking import (
    TakenEvent,
    note_delivered,
    note_failed,
    note_left_out,
)
from shared.notices.writing import Connection

CameOfIt: TypeAlias = Literal["delivered", "failed", "left_out"]


class TellOwners(Protocol):
    """Tells the owners of a source, in the transaction, that a server gets no more events."""

    async def __call__(
        self, connection: Connection, source: str, *, host: str, is_gone: bool
    ) -> None:
        """Tell them which server, and whether it said so itself."""


@dataclass(frozen=True, slots=True)
class WebhookRoom:
    """What events are sent with. `now` is the clock, `chance` a random number from 0 to 1.

    `signed_s` is the time by which others check signatures, in seconds since 1970: a sandbox has a
    clock of its own, and those to whom it sends have not.
    """

    pool: asyncpg.Pool = field(repr=False)
    post: WebhookPost
    tell_owners: TellOwners
    now: Callable[[], datetime]
    chance: Callable[[], float]
    signed_s: Callable[[], float] = time.time


async def send_event(room: WebhookRoom, event: TakenEvent) -> CameOfIt:
    """Send an event that was taken."""
    told = (await read_numbered(room.pool, event.source, [event.number])).get(event.number)
    if told is None:
        async with room.pool.acquire() as connection, connection.transaction():
            await note_left_out(connection, event, now=room.now())
        return "left_out"
    began_at = room.now()
    posted = await _post(room, event, told)
    async with room.pool.acquire() as connection, connection.transaction():
        if posted.is_delivered:
            await note_delivered(connection, event, posted, now=room.now())
            return "delivered"
        await _put_off(room, connection, event, posted, began_at)
        return "failed"


async def _post(room: WebhookRoom, event: TakenEvent, told: EventAnswer) -> Posted:
    body = orjson.dumps(told)
    message = message_id(event.endpoint_id, event.number)
    headers = signed_headers(event.secrets, message, int(room.signed_s()), body)
    return await room.post.post(event.url, headers, body)


async def _put_off(
    room: WebhookRoom,
    connection: Connection,
    event: TakenEvent,
    posted: Posted,
    began_at: datetime,
) -> None:
    now = room.now()
    failed = await note_failed(
        connection, event, posted, began_at=began_at, chance=room.chance(), now=now
    )
    if failed is None or not failed.is_on:
        return
    is_gone = posted.status == GONE
    if is_gone or has_failed_too_long(failed.failing_since, now):
        await put_state(connection, event.endpoint_id, "gone" if is_gone else "failing", now=now)
        host = urlsplit(event.url).hostname or ""
        await room.tell_owners(connection, event.source, host=host, is_gone=is_gone)
