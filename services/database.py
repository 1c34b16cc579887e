"""Opens the database that every command stands on: the operator's own, or that of a data folder."""

import secrets
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Literal

import asyncpg
import structlog

from services.ingest.chances import Chances
from services.ingest.founding import found_log
from shared.db.embedded import embedded_server
from shared.db.migrations import migrate
from shared.db.pool import close_pool, open_pool
from shared.ids import PLAYER_ID_SPACE
from shared.settings import Settings

_log = structlog.get_logger(__name__)


@asynccontextmanager
async def open_database(
    settings: Settings, *, role: Literal["serve", "join"], name: str | None = None
) -> AsyncIterator[asyncpg.Pool]:
    """Give a pool on the migrated database: the operator's own, or the one of the data folder.

    `serve` is for the one service of a folder; `join` uses its server, or starts one meanwhile. The
    server sees the name, or else the role.
    """
    async with open_server(settings, role=role) as dsn:
        pool = await open_pool(
            dsn,
            application_name=f"mahjic {name or role}",
            size_max=settings.database_connections_max,
        )
        try:
            await migrate(pool)
            await found_log(pool, str(uuid.uuid4()), chances())
            yield pool
        finally:
            await close_pool(pool)


@asynccontextmanager
async def open_server(settings: Settings, *, role: Literal["serve", "join"]) -> AsyncIterator[str]:
    """Give the URL of the operator's server, or of the embedded one while the context is open."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    async with embedded_server(settings.data, role=role, report=_report_server) as server:
        yield server.dsn


def _report_server(sentence: str) -> None:
    """Log what happens to the embedded server."""
    _log.warning("embedded_server", detail=sentence)


def chances() -> Chances:
    """Return real randomness and the real clock."""
    return Chances(
        player_number=lambda: secrets.randbelow(PLAYER_ID_SPACE), now=lambda: datetime.now(UTC)
    )
