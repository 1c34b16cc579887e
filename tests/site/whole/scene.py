"""A whole service in which a few people have played, and browsers of theirs at its site."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import asyncpg
import httpx
from fastapi import FastAPI
from pydantic import SecretStr

from services.roles import SERVE, build_app
from services.wiring import table_service
from shared.db.server.embedded import EmbeddedServer
from shared.settings import Settings
from tests.accounts.own.authenticator import Device
from tests.accounts.people import ALICE, BEN, House
from tests.conftest import Database, fresh_database
from tests.mail.letters import KEY
from tests.service import UNLIMITED, bearer, running_service
from tests.site.login.visiting import HERE, Visitor, a_browser
from tests.site.serving import ORIGIN

CAROL, DAN = "carol@example.com", "dan@example.com"
WORK = "alice@work.example.com"
CLUB = "a-club"
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

    async def add_address(self, address: str) -> str:
        """Add an address to the account that is logged in here; return where that leads."""
        await self.here.send("/account/addresses", {"email": address})
        code = (await self.here.house.mails())[-1].code
        added = await self.here.send("/account/addresses/code", {"code": code})
        return added.headers["location"]


def a_night() -> dict[str, object]:
    """Return what a club sends of a table."""
    players = [
        {"email": each, "games_played": 4, "mahjongs": won}
        for each, won in ((ALICE, 2), (BEN, 1), (CAROL, 1), (DAN, 0))
    ]
    return {
        "session_date": "2026-02-28",
        "game_type": "social",
        "rounds": [{"players": players, "wall_games": 0}],
    }


async def play(database: Database) -> None:
    """Play one night in a database, and leave it to be copied."""
    async with running_service(database, **SETTINGS) as running:
        headers = bearer(await running.source_key(CLUB))
        told = await running.client.post("/v1/sessions", json=a_night(), headers=headers)
        assert told.status_code == 201, told.text
    await database.pool.close()


@asynccontextmanager
async def a_scene(server: EmbeddedServer, template: str) -> AsyncIterator[Scene]:
    """Give a copy of a service, whose routes answer while nothing works beside them."""
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(fresh_database(server, template=template))
        service = table_service(Settings(_env_file=None, **SETTINGS), database.pool)
        app, house = build_app(service, SERVE), House(database.pool)
        here, elsewhere = [
            await stack.enter_async_context(a_browser(app, house, ORIGIN, address))
            for address in ("192.0.2.1", "198.51.100.7")
        ]
        session_id = await database.pool.fetchval("SELECT session_id FROM mahjic.submissions")
        yield Scene(app, database.pool, here, elsewhere, session_id)


def is_refused_as_cross_site(answer: httpx.Response) -> bool:
    """Return whether an answer says that another site caused the request, and sets nothing."""
    says = "another site" in answer.text or '"cross_site"' in answer.text
    return answer.status_code == 403 and says and "set-cookie" not in answer.headers
