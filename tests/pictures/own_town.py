"""A town for pictures alone: a service on a database that is thrown away afterward."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from shared.db.migrations import migrate
from shared.db.server.embedded import embedded_server
from tests.browser.town import Town, empty_town
from tests.conftest import TEMPLATE, dsn_of, fresh_database
from tests.folders import open_folder
from tests.verification.served import stripe_settings


@asynccontextmanager
async def own_town() -> AsyncIterator[Town]:
    """Run a service of its own, in which nobody has played yet."""
    place = open_folder()
    try:
        async with embedded_server(place / "data", role="join") as server:
            admin = await asyncpg.connect(server.dsn)
            await admin.execute(f"CREATE DATABASE {TEMPLATE}")
            await admin.close()
            template = await asyncpg.connect(dsn_of(server, TEMPLATE))
            await migrate(template)
            await template.close()
            async with (
                fresh_database(server, template=TEMPLATE) as database,
                empty_town(database, **stripe_settings()) as town,
            ):
                yield town
    finally:
        shutil.rmtree(place)
