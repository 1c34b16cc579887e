"""A whole service in which a few people have played, and browsers of theirs at its site."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import asyncpg
import httpx
from fastapi import FastAPI
from pydantic import SecretStr

from services.invitations.following import INVITED_AFTER, follow_on
from services.invitations.inviting import invite_next
from services.role import build_app
from services.roles import SERVE
from services.telling import invitations_of
from services.wiring import Service, table_service
from shared.db.server.embedded import EmbeddedServer
from shared.mail.outbox import MailOutbox
from shared.settings import Settings
from tests.accounts.own.authenticator import Device
from tests.accounts.people import ALICE, BEN, House
from tests.conftest import Database, fresh_database
from tests.ingest.changes.asking import caught_up
from tests.mail.letters import KEY
from tests.service import UNLIMITED, bearer, running_service
from tests.site.login.visiting import HERE, Visitor, a_browser
from tests.site.serving import ORIGIN

CAROL, DAN = "carol@example.com", "dan@example.com"
EVE = "eve@example.com"
PLAYERS: Final = (ALICE, BEN, CAROL, DAN)
# A table at which Alice did not sit, by any address.
OTHERS: Final = (EVE, BEN, CAROL, DAN)
WORK = "alice@work.example.com"
CLUB = "a-club"
CHOICES: Final = {"name": "Alice Walls", "seen": "visible", "region": "west", "mail": "summary"}
FIRST_SESSION: Final = "SELECT session_id FROM mahjic.submissions ORDER BY fact_seq LIMIT 1"
FIND_PLAYER: Final = "SELECT player_id FROM mahjic.people WHERE email = $1"
SETTINGS: Final[dict[str, Any]] = {
    "public_url": ORIGIN,
    "address_hash_key": SecretStr(KEY.hex()),
    "public_limit_per_minute": UNLIMITED,
    "source_limit_per_minute": UNLIMITED,
    "page_limit_per_minute": UNLIMITED,
}


@dataclass
class Scene:
    """A service, what its mails say, and two browsers in two networks."""

    app: FastAPI
    pool: asyncpg.Pool
    here: Visitor
    elsewhere: Visitor
    session_id: str
    device: Device = field(default_factory=lambda: Device(ORIGIN))

    async def make_passkey(self, visitor: Visitor) -> None:
        """Make a passkey in a browser that is logged in."""
        client = visitor.client
        options = await client.post("/account/passkeys/options", headers=HERE)
        sent = {"credential": self.device.make(options.text), "to": ""}
        made = await client.post("/account/passkeys", headers=HERE, json=sent)
        assert made.status_code == 200, made.text

    async def be_welcomed(self) -> str:
        """Log in here, claim the player and choose; return the Mahjic ID."""
        await self.here.log_in(ALICE)
        chosen = await self.here.send("/me/welcome", CHOICES)
        assert chosen.headers["location"] == "/me", chosen.text
        player_id: str = await self.pool.fetchval(FIND_PLAYER, ALICE)
        return player_id

    async def add_address(self, address: str) -> str:
        """Add an address to the account that is logged in here; return where that leads."""
        await self.here.send("/account/addresses", {"email": address})
        code = (await self.here.house.mails())[-1].code
        added = await self.here.send("/account/addresses/code", {"code": code})
        return added.headers["location"]


def a_night(who: Sequence[str]) -> dict[str, object]:
    """Return what a club sends of a table."""
    players = [
        {"email": each, "games_played": 4, "mahjongs": won}
        for each, won in zip(who, (2, 1, 1, 0), strict=True)
    ]
    return {
        # Of long ago, nobody would be told.
        "session_date": str(datetime.now(UTC).date() - timedelta(days=1)),
        "game_type": "social",
        "rounds": [{"players": players, "wall_games": 0}],
    }


async def play(database: Database) -> None:
    """Play one night in a database, and leave it to be copied."""
    async with running_service(database, **SETTINGS) as running:
        headers = bearer(await running.source_key(CLUB))
        for who in (PLAYERS, OTHERS):
            told = await running.client.post("/v1/sessions", json=a_night(who), headers=headers)
            assert told.status_code == 201, told.text
        await invite_all(running.service)
        # In a copy no view goes on, and whoever waited for one would be told to come back.
        await caught_up(running)
    await database.pool.close()


async def invite_all(service: Service) -> None:
    """Write the invitations that are due when the players have waited long enough."""
    room = invitations_of(service.process)
    while await follow_on(room, service.logs.verdicts):
        pass
    outbox = MailOutbox(room.outbox.hashes, lambda: datetime.now(UTC) + INVITED_AFTER)
    written = 0
    while (is_written := await invite_next(replace(room, outbox=outbox))) is not None:
        written += is_written
    assert written == len({*PLAYERS, *OTHERS})


@asynccontextmanager
async def a_scene(
    server: EmbeddedServer, template: str, opened: Callable[[Service], Service]
) -> AsyncIterator[Scene]:
    """Give a copy of a service, whose routes answer and which records, but rates nothing.

    `opened` gives it an account at Stripe.
    """
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(fresh_database(server, template=template))
        service = opened(table_service(Settings(_env_file=None, **SETTINGS), database.pool))
        app, house = build_app(service, SERVE), House(database.pool)
        here, elsewhere = [
            await stack.enter_async_context(a_browser(app, house, ORIGIN, address))
            for address in ("192.0.2.1", "198.51.100.7")
        ]
        session_id = await database.pool.fetchval(
            "SELECT session_id FROM mahjic.submissions ORDER BY fact_seq"
        )
        recorder = asyncio.create_task(service.recording.recorder.run())
        try:
            yield Scene(app, database.pool, here, elsewhere, session_id)
        finally:
            recorder.cancel()
            await asyncio.gather(recorder, return_exceptions=True)


def is_refused_as_cross_site(answer: httpx.Response) -> bool:
    """Return whether an answer says that another site caused the request, and sets nothing."""
    says = "another site" in answer.text or '"cross_site"' in answer.text
    return answer.status_code == 403 and says and "set-cookie" not in answer.headers
