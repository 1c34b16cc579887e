"""A whole service on one database, inside the test: recorder, rater, verdicts and web application.

Nothing is faked but the network: requests go straight into the application.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import asyncpg
import httpx
from fastapi import FastAPI

from services.database import ids_and_times
from services.ingest.record.founding import found_log
from services.projections.building.keeping import show_keeping
from services.projections.building.rebuild import build_missing_views
from services.projections.views import all_views
from services.rater.engine import engine_digest
from services.rater.worker import run_rater
from services.role import build_app
from services.roles import SERVE
from services.wiring import CHANNELS, Service, table_service
from shared.access.keys import KeyKind, create_key
from shared.access.sources import SourceDetails, SourceExists, add_source
from shared.db.bell import listening
from shared.db.pool import open_pool
from shared.settings import Settings
from tests.conftest import Database

LOG_ID = "log_of_a_test"
FOUNDED = datetime(2026, 1, 1, tzinfo=UTC)
# Nobody in a test is meant to be slowed down, but where the limits are what is tested.
UNLIMITED = 1_000_000


@dataclass
class RunningService:
    """A service that runs; `client` calls it as the public does, until a key is sent along."""

    service: Service
    app: FastAPI
    client: httpx.AsyncClient
    _tasks: dict[str, "asyncio.Task[Any]"] = field(default_factory=dict)

    @property
    def pool(self) -> asyncpg.Pool:
        """The connections of the service."""
        return self.service.process.pool

    async def source_key(
        self, slug: str = "a-club", *, kind: str = "club", region: str | None = None
    ) -> str:
        """Return a new API key of a source, which is added unless it is there."""
        with contextlib.suppress(SourceExists):
            details = SourceDetails(slug.replace("-", " ").title(), kind, region)
            await add_source(self.pool, slug, details, now=FOUNDED)
        return await self._key("source", slug)

    async def operator_key(self) -> str:
        """Return a new API key of the operator."""
        return await self._key("operator")

    async def auditor_key(self) -> str:
        """Return a new API key of an auditor."""
        return await self._key("auditor")

    async def submit(self, claim: dict[str, Any], key: str, **headers: str) -> httpx.Response:
        """Submit a session; `idempotency_key="k"` becomes the header Idempotency-Key."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await self.client.post("/v1/sessions", json=claim, headers={**named, **bearer(key)})

    async def has_ended(self, name: str) -> bool:
        """Tell whether a part has ended by itself; `stop` raises why."""
        return self._tasks[name].done()

    async def start_rating(self) -> None:
        """Let the rater work (again)."""
        self.run(
            "rater",
            run_rater(
                self.service.logs.facts,
                self.service.logs.verdicts,
                holder="a test",
                engine=engine_digest(),
            ),
        )

    async def stop_rating(self) -> None:
        """Stop the rater, so that what is submitted stays unrated."""
        await self._stop("rater")

    def run(self, name: str, part: Coroutine[Any, Any, Any]) -> None:
        """Run a part of the service until the end of the context."""
        self._tasks[name] = asyncio.create_task(part, name=name)

    async def stop_part(self, name: str) -> None:
        """Stop one part; raises what made it fail meanwhile."""
        await self._stop(name)

    async def stop(self) -> None:
        """Stop all parts; raises what made one of them fail meanwhile."""
        await self._stop(*self._tasks)

    async def _stop(self, *names: str) -> None:
        tasks = [self._tasks.pop(name) for name in names]
        for task in tasks:
            task.cancel()
        for end in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(end, Exception):
                raise end

    async def _key(self, kind: KeyKind, source: str | None = None) -> str:
        _, text = await create_key(self.pool, kind, source, now=FOUNDED)
        return text


@asynccontextmanager
async def running_service(
    database: Database, *, is_rating: bool = True, **settings: Any
) -> AsyncIterator[RunningService]:
    """Run a service on a database; `settings` are those that the test is about."""
    limits = {"public_limit_per_minute": UNLIMITED, "source_limit_per_minute": UNLIMITED}
    pool = await open_pool(database.dsn, application_name="mahjic tests service", size_max=10)
    try:
        await found_log(pool, LOG_ID, ids_and_times())
        service = table_service(Settings(**{**limits, **settings}), pool)
        await build_missing_views(all_views(), pool=pool, log=service.logs.verdicts)
        app = build_app(service, SERVE)
        transport = httpx.ASGITransport(app, client=("192.0.2.1", 1234))
        async with (
            listening(pool, service.process.bell, CHANNELS),
            httpx.AsyncClient(transport=transport, base_url="http://mahjic.test") as client,
        ):
            running = RunningService(service, app, client)
            running.run("recorder", service.recording.recorder.run())
            await service.recording.verdicts.find_end()
            running.run("verdicts", service.recording.verdicts.follow())
            running.run("views", service.views.feed.run())
            running.run("sign of keeping", show_keeping(pool, service.views.kept))
            if is_rating:
                await running.start_rating()
            try:
                yield running
            finally:
                await running.stop()
    finally:
        pool.terminate()


def bearer(key: str) -> dict[str, str]:
    """Return the header that sends an API key."""
    return {"Authorization": f"Bearer {key}"}
