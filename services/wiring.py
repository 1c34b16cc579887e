"""Builds what the commands run on from the settings; the only module that names an adapter."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Literal

import asyncpg

from shared.db.embedded import embedded_server
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.settings import Settings


@asynccontextmanager
async def open_database(
    settings: Settings, *, role: Literal["serve", "join"]
) -> AsyncIterator[asyncpg.Pool]:
    """Give a pool on the migrated database: the operator's own, or the one of the data folder.

    `serve` is for the one service of a folder; `join` uses its server, or starts one meanwhile.
    """
    async with open_server(settings, role=role) as dsn:
        pool = await open_pool(
            dsn, application_name=f"mahjic {role}", size_max=settings.database_connections_max
        )
        try:
            await migrate(pool)
            yield pool
        finally:
            await pool.close()


@asynccontextmanager
async def open_server(settings: Settings, *, role: Literal["serve", "join"]) -> AsyncIterator[str]:
    """Give the URL of the operator's server, or of the embedded one while the context is open."""
    if settings.database_url is not None:
        yield settings.database_url.get_secret_value()
        return
    async with embedded_server(settings.data, role=role) as server:
        yield server.dsn
