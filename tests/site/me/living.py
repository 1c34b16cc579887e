"""A whole service in which people play, log in, and look after what is theirs."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg

from services.ingest.people.own_addresses import players_of
from services.ingest.people.room import PeopleOfAccounts
from services.ports import people_of_accounts
from tests.accounts.people import House
from tests.conftest import Database
from tests.ingest.claims import a_round, a_session
from tests.service import UNLIMITED, RunningService, running_service
from tests.site.login.visiting import Visitor, a_browser
from tests.site.serving import ORIGIN

SETTINGS = {"public_url": ORIGIN, "page_limit_per_minute": UNLIMITED, "address_hash_key": "k" * 32}
LIST_TABLES = """
SELECT table_schema || '.' || table_name FROM information_schema.tables
WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')
ORDER BY 1
"""
WORKED_OUT = {"mahjic.verdicts", "mahjic.views", "mahjic.view_builds"}
WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' ORDER BY query_start"


@dataclass
class Living:
    """A service, the mails it has written, and the browsers of its visitors."""

    service: RunningService
    house: House
    _open: AsyncExitStack
    _keys: dict[str, str] = field(default_factory=dict)

    @property
    def pool(self) -> asyncpg.Pool:
        """The connections of the service."""
        return self.service.pool

    @property
    def people(self) -> PeopleOfAccounts:
        """What people do about themselves."""
        return people_of_accounts(self.service.service.recording)

    async def browser(self, network: str = "192.0.2.1") -> Visitor:
        """Return a browser that was never here."""
        opened = a_browser(self.service.app, self.house, ORIGIN, network)
        return await self._open.enter_async_context(opened)

    async def logged_in(self, address: str, network: str = "192.0.2.1") -> Visitor:
        """Return a browser in which somebody has logged in."""
        visitor = await self.browser(network)
        await visitor.log_in(address)
        return visitor

    async def play(
        self, who: dict[str, int], *, source: str = "a-club", names: Sequence[str] = (), **more: Any
    ) -> str:
        """Let some people play a round, and return the session once it is rated."""
        key = await self.source_key(source)
        played = a_round(who)
        for seat, name in zip(played["players"], names, strict=False):
            seat["name"] = name
        sent = await self.service.submit(a_session(played, **more), key)
        assert sent.status_code == 201, sent.text
        return str(sent.json()["session_id"])

    async def source_key(self, source: str) -> str:
        """Return the key of a source."""
        if source not in self._keys:
            self._keys[source] = await self.service.source_key(source)
        return self._keys[source]

    async def player_of(self, address: str) -> str:
        """Return the Mahjic ID behind an address."""
        async with self.pool.acquire() as connection:
            (found,) = await players_of(connection, [address])
        return found.player_id

    async def hours_pass(self) -> None:
        """Let every login be older than what hurts may be."""
        await self.pool.execute("UPDATE mahjic.logins SET began_at = began_at - interval '1 hour'")

    async def holding(self, *words: str) -> dict[str, list[str]]:
        """Return which tables hold one of these words in any column, and in which rows."""
        found = {}
        for table, rows in (await self.everything()).items():
            text = [row for row in rows if any(_is_in(word, row) for word in words)]
            if text:
                found[table] = text
        return found

    async def kept(self) -> dict[str, list[str]]:
        """Return every row that is not worked out from others, as the views are."""
        tables = (await self.everything()).items()
        return {
            table: rows
            for table, rows in tables
            if table.startswith("mahjic.") and table not in WORKED_OUT
        }

    async def rows(self) -> dict[str, list[dict[str, Any]]]:
        """Return every row of every table of ours but the views, by its columns."""
        tables = [row[0] for row in await self.pool.fetch(LIST_TABLES)]
        return {
            table.removeprefix("mahjic."): [
                json.loads(row[0])
                for row in await self.pool.fetch(f"SELECT to_json(each) FROM {table} AS each")
            ]
            for table in tables
            if table.startswith("mahjic.")
        }

    async def everything(self) -> dict[str, list[str]]:
        """Return every row of every table there is, as text."""
        tables = [row[0] for row in await self.pool.fetch(LIST_TABLES)]
        return {
            table: sorted(
                row[0] for row in await self.pool.fetch(f"SELECT each::text FROM {table} AS each")
            )
            for table in tables
        }


def _is_in(word: str, row: str) -> bool:
    # Bytes are shown as hexadecimal digits.
    return word.lower() in row.lower() or word.encode().hex() in row


@asynccontextmanager
async def a_life(database: Database, **settings: Any) -> AsyncIterator[Living]:
    """Run a service for people who log in."""
    async with (
        running_service(database, **{**SETTINGS, **settings}) as service,
        AsyncExitStack() as opened,
    ):
        yield Living(service, House(service.pool), opened)
