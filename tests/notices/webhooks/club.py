"""A town whose clubs have servers, and the sending of it, driven by hand or running."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from services.notices.webhooks.endpoints import (
    WebhookEndpoint,
    add_endpoint,
    list_endpoints,
    new_endpoint_id,
)
from services.notices.webhooks.looking import WebhookDelivery, list_deliveries
from services.notices.webhooks.network import CheckedNetwork
from services.notices.webhooks.posting import WebhookPost
from services.notices.webhooks.sending import WebhookRoom, send_event
from services.notices.webhooks.taking import spread_events, take_events
from services.telling import webhooks_of
from shared.json_text import INTEGER_MAX
from tests.log.deadlines import until
from tests.notices.town import NoticeTown


@dataclass
class WebhookTown:
    """A town whose sending is driven by hand, by its own clock."""

    town: NoticeTown
    room: WebhookRoom = field(init=False)

    def __post_init__(self) -> None:
        post = WebhookPost(CheckedNetwork(loopback=True), loopback=True)
        usual = webhooks_of(self.town.service.service.process)
        self.room = replace(usual, post=post, now=self.town.now, chance=lambda: 0.0)

    async def name(self, url: str, at: str = "a-club") -> WebhookEndpoint:
        """Have a club name an address, and return it."""
        await self.town.key(at)
        endpoint_id = new_endpoint_id()
        async with self.room.pool.acquire() as connection, connection.transaction():
            await add_endpoint(connection, at, endpoint_id, url, now=self.town.now())
        return await self.endpoint(endpoint_id, at)

    async def endpoint(self, endpoint_id: str, at: str = "a-club") -> WebhookEndpoint:
        """Return an address as it stands."""
        async with self.room.pool.acquire() as connection:
            (found,) = (
                each
                for each in await list_endpoints(connection, at)
                if each.endpoint_id == endpoint_id
            )
        return found

    async def deliveries(self, endpoint: WebhookEndpoint) -> Sequence[WebhookDelivery]:
        """Return what was or is to be sent to an address, the newest first."""
        async with self.room.pool.acquire() as connection:
            return await list_deliveries(
                connection, endpoint.source, endpoint.endpoint_id, before=INTEGER_MAX, limit=1000
            )

    async def until_noticed(self, kind: str) -> None:
        """Follow the verdicts until somebody is told of a kind."""

        async def is_noticed() -> bool:
            await self.town.follow()
            query = "SELECT EXISTS (SELECT FROM mahjic.notices WHERE kind = $1)"
            return bool(await self.room.pool.fetchval(query, kind))

        await until(is_noticed)

    async def send_due(self) -> list[str]:
        """Follow the verdicts, send all that is due by the clock, and return what came of it."""
        await self.town.follow()
        while await spread_events(self.room.pool, now=self.town.now()):
            pass
        came: list[str] = []
        while True:
            taken = [
                each
                for slow in (False, True)
                for each in await take_events(
                    self.room.pool, slow=slow, places=100, now=self.town.now()
                )
            ]
            if not taken:
                return came
            came += await asyncio.gather(*(send_event(self.room, each) for each in taken))

    def pass_time(self, **span: Any) -> None:
        """Let time pass by the clock of the town."""
        self.town.ahead += timedelta(**span)
