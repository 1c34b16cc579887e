"""Opens the database that a command works on: the operator's own, or the one of a data folder."""

import secrets
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal

import asyncpg
import structlog

from services.ingest.record.founding import found_log
from services.ingest.record.ids_and_times import IdsAndTimes
from services.mail.ways import MailWay, ToVisitors, way_of
from shared.db.folder import default_folder
from shared.db.migrations import check_standby, migrate
from shared.db.pool import close_pool, open_pool
from shared.db.sandbox import IsSandbox, NoSandbox, kind_of
from shared.db.server.embedded import embedded_server
from shared.errors import MahjicError
from shared.ids import PLAYER_ID_SPACE
from shared.mail.address_hash import AddressHashes
from shared.mail.key_file import key_in
from shared.settings import Settings

IS_STANDBY: Final = "SELECT pg_is_in_recovery()"
IS_MADE: Final = "SELECT to_regclass('mahjic.migrations') IS NOT NULL"

_log = structlog.get_logger(__name__)


class NothingThere(MahjicError):
    """There is no Mahjic of this version at this place."""

    code = "nothing_there"
    title = "There is no Mahjic of this version here yet"

    def __init__(self, where: str, *, way_out: str = "") -> None:
        super().__init__(
            f"{where} holds no Mahjic of this version. If it is somewhere else, say where with "
            "--data, MAHJIC_DATA or MAHJIC_DATABASE_URL. Otherwise start a service here first "
            f"(`mahjic serve`){way_out}."
        )


class DatabaseIsStandby(MahjicError):
    """The database follows another one and takes no changes, but this command would make some."""

    code = "database_is_standby"
    title = "The database is a standby"

    def __init__(self) -> None:
        super().__init__(
            "The database is a hot standby, which takes no changes. Only `mahjic read` and "
            "`mahjic site` serve from one. Name the primary in MAHJIC_DATABASE_URL, or promote "
            "this one first."
        )


class SandboxNeedsFolder(MahjicError):
    """A sandbox was to be made on a server of the operator's own."""

    code = "sandbox_needs_folder"
    title = "A sandbox has a folder of its own"
    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "A sandbox keeps its database in a folder of its own, so that it is never mixed up "
            "with a live one. Leave MAHJIC_DATABASE_URL out, and name a folder with --data."
        )


@asynccontextmanager
async def open_database(
    settings: Settings,
    *,
    role: Literal["serve", "join"],
    name: str | None = None,
    before_made: Callable[[str], None] | None = None,
    only_reads: bool = False,
    is_sandbox: bool = False,
) -> AsyncIterator[asyncpg.Pool]:
    """Give a pool on the migrated database: the operator's own, or the one of the data folder.

    `serve` is for the one service of a folder; `join` uses its server, or starts one meanwhile. The
    server sees the name, or else the role. If there is no Mahjic yet, one is made: `before_made`
    gets the place first, and may raise instead. Commands that only read also work on a standby,
    where nothing is made; others are refused there with DatabaseIsStandby. One that serves says
    whether it serves a sandbox: raises IsSandbox, NoSandbox or SandboxNeedsFolder.
    """
    if is_sandbox and settings.database_url is not None:
        raise SandboxNeedsFolder
    folder = folder_without_database(settings)
    if before_made is not None and folder is not None:
        before_made(f"The folder {folder}")
    async with open_server(settings, role=role) as dsn:
        pool = await open_pool(
            dsn,
            application_name=f"mahjic {name or role}",
            size_max=settings.database_connections_max,
        )
        try:
            if await pool.fetchval(IS_STANDBY):
                if not only_reads:
                    raise DatabaseIsStandby
                await check_standby(pool)
            else:
                if before_made is not None and folder is None and not await pool.fetchval(IS_MADE):
                    before_made("The database")
                if role == "serve":
                    await check_kind(pool, is_sandbox=is_sandbox)
                await migrate(pool)
                log_id = str(uuid.uuid4())
                await found_log(pool, log_id, ids_and_times(), is_sandbox=is_sandbox)
            yield pool
        finally:
            await close_pool(pool)


async def check_kind(pool: asyncpg.Pool, *, is_sandbox: bool) -> None:
    """Check that a database is what is to be served. Raises IsSandbox or NoSandbox."""
    kind = await kind_of(pool)
    if kind == "sandbox" and not is_sandbox:
        raise IsSandbox(
            "This place holds a sandbox, and stays one. Serve it with `mahjic serve --sandbox`, "
            "or give a live service a place of its own with --data."
        )
    if kind == "live" and is_sandbox:
        raise NoSandbox(
            "This place holds a live Mahjic, which never becomes a sandbox. Give the sandbox a "
            "folder of its own with --data."
        )


def folder_without_database(settings: Settings) -> Path | None:
    """Return the data folder if nothing is in it yet; None with the operator's own server."""
    folder = data_folder(settings)
    return None if folder is None or (folder / "postgres").exists() else folder


def rater_folder(settings: Settings) -> Path | None:
    """Return where the rater keeps columns and checkpoints; None if it has no place for them."""
    if settings.rater_folder is not None or settings.database_url is not None:
        return settings.rater_folder
    return (settings.data or default_folder()) / "rater"


def data_folder(settings: Settings) -> Path | None:
    """Return the folder of the embedded database; None with the operator's own server."""
    if settings.database_url is not None:
        return None
    return (settings.data or default_folder()).expanduser()


def address_hashes(settings: Settings) -> AddressHashes | None:
    """Return what hashes addresses; None if nobody gave a key and no data folder holds one."""
    if settings.address_hash_key is not None:
        return AddressHashes(settings.address_hash_key.get_secret_value().encode())
    folder = data_folder(settings)
    if folder is None or folder_without_database(settings) is not None:
        return None
    return AddressHashes(key_in(folder))


def mail_way(settings: Settings, *, is_sandbox: bool = False) -> MailWay:
    """Return how mail leaves this installation: not at all if it is a sandbox."""
    if is_sandbox:
        return ToVisitors()
    url = settings.smtp_url
    return way_of(None if url is None else url.get_secret_value(), data_folder(settings))


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


def ids_and_times() -> IdsAndTimes:
    """Return real randomness and the real clock."""
    return IdsAndTimes(
        player_number=lambda: secrets.randbelow(PLAYER_ID_SPACE), now=lambda: datetime.now(UTC)
    )
