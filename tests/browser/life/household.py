"""A whole service with everything that runs beside it, real mail, and a clock that can be wound.

It runs as `mahjic serve` does, but in this process, so that the test has the clock in its hands and
reads every line of the log. Mail goes over TLS to a real server.
"""

import asyncio
import io
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import asyncpg
import httpx
import pytest
import trustme
from pydantic import SecretStr

from services import wiring
from services.database import ids_and_times, open_database
from services.ingest.record.ids_and_times import IdsAndTimes
from services.role import build_app
from services.roles import SERVE
from services.serving import run_role
from services.wiring import table_service
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.db.backups.backup import backup
from shared.db.backups.restore import restore
from shared.db.server.embedded import EmbeddedServer
from shared.http.logs import configure_logs
from shared.mail.outbox import MAIL_CHANNEL
from shared.settings import Settings
from tests.browser.life.mailbox import Mailbox, ServerMailbox
from tests.conftest import TEMPLATE, Database, fresh_database
from tests.db.rows import text_by_table
from tests.log.deadlines import until
from tests.mail.post_office import post_office, server_context
from tests.service import FOUNDED, UNLIMITED, bearer
from tests.verification.served import WoundClock

HASH_KEY: Final = "the key of the household, 32 letters or more"
CLUB: Final = "lakeside"
READ_DUE: Final = "SELECT due_at FROM mahjic.awaited_invitations WHERE player_id = $1"
RING: Final = "SELECT pg_notify($1, '')"


@dataclass
class Household:
    """A service that runs: where it is, who may do what, and what it wrote."""

    url: str
    pool: asyncpg.Pool
    dsn: str
    # Where a backup is restored, to be looked through.
    server: EmbeddedServer
    postgres_log: Path
    clock: WoundClock
    mailbox: Mailbox
    club: dict[str, str]
    operator: dict[str, str]
    read_log: Callable[[], str] = field(repr=False)

    def stranger(self) -> httpx.AsyncClient:
        """Return somebody who is nobody here, and keeps no cookies from before."""
        return httpx.AsyncClient(base_url=self.url, timeout=30, trust_env=False)

    async def submit(self, claim: Mapping[str, Any]) -> dict[str, str]:
        """Submit a session as the club does; return the ids by what the club calls people."""
        async with self.stranger() as client:
            told = await client.post("/v1/sessions", json=claim, headers=self.club)
        assert told.status_code == 201, told.text
        return {each["player"]: each["mahjic_id"] for each in told.json()["results"]} | {
            "session": told.json()["session_id"]
        }

    async def verify(self, who: str) -> None:
        """Verify somebody, as the operator does."""
        async with self.stranger() as client:
            told = await client.post(
                "/v1/admin/players", json={"email": who}, headers=self.operator
            )
            path = f"/v1/admin/players/{told.json()['mahjic_id']}/verification"
            done = await client.put(path, json={"verified": True}, headers=self.operator)
        assert done.status_code == 200, done.text

    async def wind(self, by: timedelta) -> None:
        """Wind the clock on, and tell those who wait for a time."""
        self.clock.ahead += by
        await self.pool.execute(RING, MAIL_CHANNEL)

    async def due_at(self, player_id: str) -> datetime:
        """Wait until somebody waits for an invitation, and return until when."""

        async def is_waiting() -> bool:
            return await self.pool.fetchval(READ_DUE, player_id) is not None

        await until(is_waiting)
        due: datetime = await self.pool.fetchval(READ_DUE, player_id)
        return due

    async def everywhere(self, file: Path) -> dict[str, str]:
        """Return everything that is kept: tables, what a backup made now holds, log and figures."""
        await backup(self.dsn, file)
        async with self.stranger() as client:
            figures = (await client.get("/metrics")).text
        assert "mahjic_mails_total" in figures
        assert "mail_sent" in self.read_log()
        return {
            **await text_by_table(self.dsn),
            **await self._in_backup(file),
            "the log": self.read_log(),
            "the log of PostgreSQL": await asyncio.to_thread(self.postgres_log.read_text),
            "the figures": figures,
        }

    async def _in_backup(self, file: Path) -> dict[str, str]:
        async with fresh_database(self.server, template=TEMPLATE) as target:
            await target.pool.close()
            await restore(target.dsn, file, replace=True)
            restored = await text_by_table(target.dsn)
        assert restored.keys() >= {"mahjic.people", "mahjic.facts"}
        return {f"backup of {name}": text for name, text in restored.items()}

    async def all_shown(self) -> None:
        """Wait until the pages show everything that is on record."""
        end = await self.pool.fetchval("SELECT fact_seq FROM mahjic.head")
        async with self.stranger() as client:
            for path in ("/v1/leaderboard", "/v1/sources"):

                async def is_shown(path: str = path) -> bool:
                    answer = await client.get(path, params={"min_seq": end})
                    return answer.status_code == 200

                await until(is_shown)


@asynccontextmanager
async def a_household(
    server: EmbeddedServer,
    database: Database,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Household]:
    """Run a service with a club, and with mail that arrives."""
    clock, log, ca = WoundClock(), io.StringIO(), trustme.CA()
    monkeypatch.setattr(wiring, "ids_and_times", lambda: _made_by(clock))
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "ca.pem"))
    configure_logs(stream=log)
    async with AsyncExitStack() as stack:
        office = await stack.enter_async_context(post_office(tls=server_context(ca)))
        settings = _settings(database, office.port)
        pool = await stack.enter_async_context(open_database(settings, role="serve"))
        keys = await open_club(pool)
        port = await stack.enter_async_context(_running(settings, pool))
        household = Household(
            f"http://localhost:{port}",
            pool,
            database.dsn,
            server,
            server.folder / "postgres.log",
            clock,
            ServerMailbox(office),
            *keys,
            log.getvalue,
        )
        yield household


async def open_club(pool: asyncpg.Pool) -> tuple[dict[str, str], dict[str, str]]:
    """Add the club, and return what it and the operator send with requests."""
    await add_source(pool, CLUB, SourceDetails("Lakeside Club", "club", "midwest"), now=FOUNDED)
    _, club = await create_key(pool, "source", CLUB, now=FOUNDED)
    _, operator = await create_key(pool, "operator", None, now=FOUNDED)
    return bearer(club), bearer(operator)


def _made_by(clock: WoundClock) -> IdsAndTimes:
    return replace(ids_and_times(), now=clock.now)


def _settings(database: Database, mail_port: int) -> Settings:
    return Settings(
        _env_file=None,
        database_url=SecretStr(database.dsn),
        port=0,
        smtp_url=SecretStr(f"smtps://localhost:{mail_port}"),
        mail_from="Mahjic <ratings@mahjic.example>",
        address_hash_key=SecretStr(HASH_KEY),
        public_limit_per_minute=UNLIMITED,
        source_limit_per_minute=UNLIMITED,
        page_limit_per_minute=UNLIMITED,
    )


@asynccontextmanager
async def _running(settings: Settings, pool: asyncpg.Pool) -> AsyncIterator[int]:
    service = table_service(settings, pool)
    ready: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    role = run_role(SERVE, service, build_app(service, SERVE), ready.set_result)
    task = asyncio.create_task(role)
    running: list[asyncio.Future[Any]] = [task, ready]
    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    assert ready.done(), task.exception()
    try:
        yield ready.result()
    finally:
        service.process.stopping.set()
        await task
