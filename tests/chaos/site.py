"""A service on a data folder of its own, whose processes can be killed, paused and started."""

import asyncio
import contextlib
import shutil
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import asyncpg
import psutil  # type: ignore[import-untyped]

from services.database import open_database
from services.projections.views import all_views
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.settings import Settings
from tests.chaos.place import OPERATOR, SOURCES, UNLIMITED
from tests.chaos.system import living_postmaster_in, postgres_in, postmaster_in
from tests.folders import open_folder
from tests.log.deadlines import until
from tests.processes import Served, launch, start_serving

FOUNDED = datetime(2026, 1, 1, tzinfo=UTC)
# All of them: one that is not there yet shows nothing.
VIEWS_SHOW_ALL = f"""
SELECT count(*) = {len(all_views())}
    AND bool_and(b.fact_seq = head.fact_seq AND b.people_seq = head.people_seq)
FROM mahjic.views AS v JOIN mahjic.view_builds AS b ON b.schema_name = v.live_schema
CROSS JOIN mahjic.head
"""
LOG_CHARACTERS_SHOWN = 10_000
# Pauses of a single service hold up everything, and short ones find what long ones do.
PAUSE_S_MAX = 0.5


@dataclass(slots=True)
class Site:
    """A data folder, the keys to its service, and the process that serves it now."""

    folder: Path
    keys: Mapping[str, str]
    environment: Mapping[str, str]
    served: Served
    start_s: float = 0.0

    @property
    def url(self) -> str:
        """Where the service is, or was before it ended."""
        return self.served.url

    @property
    def pause_s_max(self) -> float:
        """The longest time for which a process is paused here."""
        return PAUSE_S_MAX

    def url_for(self, _method: str) -> str:
        """Return where requests go: all of them to the one service."""
        return self.url

    async def start(self) -> None:
        """Serve the folder, and note how long it takes until the service is ready."""
        began_s = time.monotonic()
        self.served = await start_serving(self.environment)
        self.start_s = time.monotonic() - began_s

    async def kill(self) -> None:
        """Kill the process of the service; its PostgreSQL stays behind."""
        await self.served.kill()

    def service(self) -> psutil.Process:
        """Return the process of the service."""
        return psutil.Process(self.served.process.pid)

    async def run(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start another command of `mahjic` on the folder, and return its process."""
        return await launch(self.environment, *arguments, stderr=asyncio.subprocess.STDOUT)

    def postmaster(self) -> psutil.Process | None:
        """Return the process of PostgreSQL, if one is alive."""
        return postmaster_in(self.folder)

    async def living_postmaster(self) -> psutil.Process:
        """Wait until PostgreSQL is there, which it may just not be, and return its process."""
        return await living_postmaster_in(self.folder)

    @asynccontextmanager
    async def database(self) -> AsyncIterator[asyncpg.Pool]:
        """Give connections to the database of the service, once the views show all facts."""
        async with (
            embedded_server(self.folder, role="join") as server,
            await open_pool(server.dsn, application_name="tests", size_max=30) as pool,
        ):
            await until(lambda: pool.fetchval(VIEWS_SHOW_ALL))
            yield pool

    def assert_alive(self) -> None:
        """Fail with the log of the service if it has ended by itself."""
        assert self.served.process.returncode is None, self.served.log


@asynccontextmanager
async def a_site(folder: Path, **settings: str) -> AsyncIterator[Site]:
    """Serve a fresh data folder while the context is open; it must end in good order."""
    keys = await keys_of_a_fresh(Settings(data=folder))
    environment = {"MAHJIC_DATA": str(folder), **UNLIMITED, **settings}
    site = Site(folder, keys, environment, await start_serving(environment))
    try:
        yield site
        assert await site.served.stop() == 0, site.served.log
    except BaseException:
        print(site.served.log[-LOG_CHARACTERS_SHOWN:])  # noqa: T201 - pytest shows it.
        raise
    finally:
        with contextlib.suppress(ProcessLookupError):
            await site.kill()
        for process in postgres_in(folder):
            process.kill()


@contextmanager
def a_place() -> Iterator[Path]:
    """Give a folder that every account may come to; it is removed afterward."""
    place = open_folder()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


async def keys_of_a_fresh(settings: Settings) -> dict[str, str]:
    """Return new API keys to a database that is migrated and founded for it."""
    keys = {}
    async with open_database(settings, role="join") as pool:
        for slug in SOURCES:
            details = SourceDetails(slug.title(), slug.removeprefix("a-"), "west")
            await add_source(pool, slug, details, now=FOUNDED)
            _, keys[slug] = await create_key(pool, "source", slug, now=FOUNDED)
        _, keys[OPERATOR] = await create_key(pool, "operator", None, now=FOUNDED)
    return keys
