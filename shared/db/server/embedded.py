"""Runs the embedded PostgreSQL for as long as anyone needs it.

Every user of a data folder, `mahjic serve` and other commands alike, shares one lock. The first one
to come starts the server and the last one to leave stops it, so none takes it away from another.
A killed user loses its lock; the next one joins the server it leaves behind.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, Literal, TypeVar
from urllib.parse import quote

from shared.db.folder import default_folder, prepare_folder, told_as_unusable, try_lock
from shared.db.server.binaries import packaged_binaries
from shared.db.server.cluster import DATABASE, PORT, ROLE, Cluster
from shared.errors import MahjicError

WATCH_S: Final = 0.1
RESTART_PAUSE_S: Final = 1.0

Role = Literal["serve", "join"]
Report = Callable[[str], None]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class EmbeddedServer:
    """A running server: where it is reached, and the programs that fit it (`pg_dump`, `psql`)."""

    dsn: str
    bin_folder: Path
    folder: Path


@asynccontextmanager
async def embedded_server(
    folder: Path | None = None, *, role: Role, report: Report | None = None
) -> AsyncIterator[EmbeddedServer]:
    """Use the server of a data folder, starting it if it does not run.

    Only one `serve` may hold the folder (DataFolderInUse); it starts the server again if it ends by
    itself, and passes `report` a sentence about it. `join` is for commands.
    """
    use = _Use(folder or default_folder(), role)
    try:
        await _to_its_end(use.enter)
        if role == "serve":
            async with _kept_running(use, report or _say_nothing):
                yield use.server
        else:
            yield use.server
    finally:
        await _to_its_end(use.leave)


class _Use:
    """One user's hold on the server of a folder. Blocks, so it is called in a thread."""

    def __init__(self, path: Path, role: Role) -> None:
        self._path = path
        self._role = role
        self._serving = ExitStack()
        self._users_lock: IO[str] | None = None

    def enter(self) -> None:
        folder = prepare_folder(self._path)
        self.cluster = Cluster(folder)
        with told_as_unusable(folder.path):
            if self._role == "serve":
                self._serving.enter_context(folder.serve_lock())
            with folder.start_lock():
                self.cluster.check_version()
                users_lock = folder.open_users_lock()
                # It is held exclusively only under the start lock, which is ours.
                assert try_lock(users_lock, exclusive=False), "The users' lock is held alone."
                self._users_lock = users_lock
                self.cluster.ensure_running()

    def restart(self) -> None:
        with self.cluster.folder.start_lock():
            self.cluster.ensure_running()

    def leave(self) -> None:
        """Stop the server unless someone else uses it; undo an `enter` that failed halfway."""
        with self._serving:
            if self._users_lock is not None:
                with self.cluster.folder.start_lock(), self._users_lock:
                    if try_lock(self._users_lock, exclusive=True):
                        self.cluster.stop()

    @property
    def server(self) -> EmbeddedServer:
        folder = self.cluster.folder
        host = quote(str(folder.socket_folder), safe="")
        return EmbeddedServer(
            dsn=f"postgresql://{ROLE}@/{DATABASE}?host={host}&port={PORT}",
            bin_folder=packaged_binaries().bin_folder,
            folder=folder.path,
        )


@asynccontextmanager
async def _kept_running(use: _Use, report: Report) -> AsyncIterator[None]:
    watch = asyncio.create_task(_keep_running(use, report))
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.wait([watch])
        if not watch.cancelled():
            watch.result()


async def _keep_running(use: _Use, report: Report) -> None:
    while True:
        await asyncio.sleep(WATCH_S)
        try:
            if use.cluster.running() is not None:
                continue
        except OSError as error:
            # While no file can be opened there is nothing to see, and no reason to leave.
            report(f"PostgreSQL cannot be checked right now: {error.strerror or error}.")
            await asyncio.sleep(RESTART_PAUSE_S)
            continue
        report("PostgreSQL stopped on its own; starting it again.")
        try:
            await _to_its_end(use.restart)
        except (MahjicError, OSError) as error:
            report(f"PostgreSQL could not be started again: {error}")
            await asyncio.sleep(RESTART_PAUSE_S)
        else:
            report("PostgreSQL is running again.")


async def _to_its_end(function: Callable[[], _T]) -> _T:
    """Call a blocking function in a thread; when canceled, wait for it to end first.

    A start that no one waits for would leave a server that no one stops.
    """
    call = asyncio.ensure_future(asyncio.to_thread(function))
    try:
        return await asyncio.shield(call)
    except asyncio.CancelledError:
        await asyncio.wait([call])
        raise


def _say_nothing(_: str) -> None:
    """Take a report that no one asked for."""
