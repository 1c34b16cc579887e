"""Empties a sandbox, which no one serves meanwhile: all of it at once, or nothing."""

import uuid
from typing import Final

from asyncpg.pool import PoolConnectionProxy

from services.database import (
    NothingThere,
    SandboxNeedsFolder,
    data_folder,
    folder_without_database,
    ids_and_times,
    open_server,
)
from services.ingest.record.founding import found_on
from shared.db.backups.restore import check_unused
from shared.db.migrations import migrate
from shared.db.pool import open_pool
from shared.db.sandbox import NoSandbox, kind_of
from shared.db.schemas import own_schemas, quoted
from shared.settings import Settings

DROP: Final = "DROP SCHEMA {} CASCADE"


async def empty_sandbox(settings: Settings) -> None:
    """Put a new sandbox in the place of one.

    Raises SandboxNeedsFolder, NothingThere, DataFolderInUse, DatabaseInUse or NoSandbox.
    """
    folder = data_folder(settings)
    if folder is None:
        raise SandboxNeedsFolder
    if folder_without_database(settings) is not None:
        raise NothingThere(f"The folder {folder}")
    async with open_server(settings, role="serve") as dsn:
        pool = await open_pool(dsn, application_name="mahjic sandbox reset", size_max=1)
        try:
            async with pool.acquire() as connection:
                kind = await kind_of(connection)
                if kind is None:
                    raise NothingThere(f"The folder {folder}")
                if kind == "live":
                    raise NoSandbox
                await check_unused(connection)
                await _make_anew(connection)
        finally:
            pool.terminate()


async def _make_anew(connection: PoolConnectionProxy) -> None:
    """Remove everything and found the sandbox again, in one transaction.

    Whatever interrupts it, no folder is ever left in which a live service would start.
    """
    async with connection.transaction():
        for schema in await own_schemas(connection):
            await connection.execute(DROP.format(quoted(schema)))
        await migrate(connection)
        await found_on(connection, str(uuid.uuid4()), ids_and_times(), is_sandbox=True)
