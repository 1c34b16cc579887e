"""A whole service as an operator runs it: a process of its own, which writes mail as files."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from shared.db.pool import open_pool
from shared.db.server.embedded import EmbeddedServer, embedded_server
from tests.browser.life.household import Household, open_club
from tests.browser.life.mailbox import FolderMailbox
from tests.folders import open_folder
from tests.processes import serving
from tests.service import UNLIMITED
from tests.verification.served import WoundClock

ENVIRONMENT = {
    "MAHJIC_PUBLIC_LIMIT_PER_MINUTE": str(UNLIMITED),
    "MAHJIC_PAGE_LIMIT_PER_MINUTE": str(UNLIMITED),
}


@asynccontextmanager
async def a_served_house(restored_on: EmbeddedServer) -> AsyncIterator[tuple[Household, Path]]:
    """Run `mahjic serve` on a data folder; give what stands for it, and the folder."""
    folder = open_folder() / "data"
    async with (
        serving({"MAHJIC_DATA": str(folder), **ENVIRONMENT}) as served,
        embedded_server(folder, role="join") as server,
    ):
        pool = await open_pool(server.dsn, application_name="mahjic tests", size_max=5)
        house = Household(
            served.url.replace("127.0.0.1", "localhost"),
            pool,
            server.dsn,
            restored_on,
            folder / "postgres.log",
            WoundClock(),
            FolderMailbox(folder / "mail"),
            *await open_club(pool),
            lambda: served.log,
        )
        try:
            yield house, folder
        finally:
            await pool.close()
    shutil.rmtree(folder.parent)
