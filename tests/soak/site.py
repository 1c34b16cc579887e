"""The service that is soaked: `mahjic serve` on a fresh folder, as an operator runs it."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import asyncpg
import httpx
import psutil  # type: ignore[import-untyped]

from services.database import open_database
from shared.access.keys import create_key
from shared.access.sources import SourceDetails, add_source
from shared.db.pool import open_pool
from shared.db.server.embedded import embedded_server
from shared.settings import Settings
from tests.chaos.place import OPERATOR, UNLIMITED
from tests.chaos.system import living_postmaster_in
from tests.processes import Served, launch, serving
from tests.soak.seasons import SOURCES

FOUNDED: Final = datetime(2026, 1, 1, tzinfo=UTC)
ANSWER_S_MAX: Final = 120.0


@dataclass(frozen=True, slots=True)
class Place:
    """How far each part is: the last fact on the log, rated, and shown by every view."""

    recorded: int
    rated: int
    shown: int


@dataclass(frozen=True, slots=True)
class Site:
    """A running service with its folder, keys and database."""

    environment: Mapping[str, str]
    keys: Mapping[str, str]
    served: Served
    http: httpx.AsyncClient
    pool: asyncpg.Pool
    service: psutil.Process
    postmaster: psutil.Process

    async def place(self) -> Place:
        """Return how far each part says that it is."""
        assert self.served.process.returncode is None, self.served.log
        lines = (await self.http.get("/metrics")).raise_for_status().text.splitlines()
        figures = [line.rpartition(" ") for line in lines if not line.startswith("#")]
        seqs = {name: int(float(value)) for name, _, value in figures if "_fact_seq" in name}
        shown = [seq for name, seq in seqs.items() if name.startswith("mahjic_view_fact_seq")]
        recorded, rated = (seqs.get(f"mahjic_{part}_fact_seq", 0) for part in ("log", "rater"))
        return Place(recorded, rated, min(shown, default=0))

    async def start(self, *arguments: str, **settings: str) -> asyncio.subprocess.Process:
        """Start a command of `mahjic` on the site."""
        return await launch(dict(self.environment) | settings, *arguments)

    async def prove(self, command: str) -> list[str]:
        """Run a command that proves something, and return what it said; it must succeed."""
        process = await self.start(command)
        said, told = await process.communicate()
        assert process.returncode == 0, f"mahjic {command}: {told.decode()}"
        return said.decode().splitlines()


@asynccontextmanager
async def a_site(folder: Path) -> AsyncIterator[Site]:
    """Serve a fresh data folder while the context is open; it must end in good order."""
    keys = await _keys_of_a_fresh(folder)
    environment = {"MAHJIC_DATA": str(folder), **UNLIMITED}
    async with (
        serving(environment) as served,
        httpx.AsyncClient(base_url=served.url, timeout=ANSWER_S_MAX) as http,
        embedded_server(folder, role="join") as server,
        await open_pool(server.dsn, application_name="soak", size_max=3) as pool,
    ):
        yield Site(
            environment,
            keys,
            served,
            http,
            pool,
            psutil.Process(served.process.pid),
            await living_postmaster_in(folder),
        )


@contextmanager
def a_place() -> Iterator[Path]:
    """Give a folder on the disk that every account may pass through; it is removed afterward."""
    place = Path(tempfile.mkdtemp(prefix="mahjic-soak-"))
    place.chmod(0o755)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


async def _keys_of_a_fresh(folder: Path) -> dict[str, str]:
    keys = {}
    async with open_database(Settings(data=folder), role="join") as pool:
        for source in SOURCES:
            details = SourceDetails(source.slug.replace("-", " ").title(), source.kind, "west")
            await add_source(pool, source.slug, details, now=FOUNDED)
            _, keys[source.slug] = await create_key(pool, "source", source.slug, now=FOUNDED)
        _, keys[OPERATOR] = await create_key(pool, "operator", None, now=FOUNDED)
    return keys
