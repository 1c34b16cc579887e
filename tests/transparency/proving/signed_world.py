"""A season whose logs are public logs, with everything that reads them, and an honest checker."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import httpx

from services.cli.checking.asking import AskedService
from services.cli.checking.checking import Checked, CheckRequest, check_service
from services.cli.checking.kept import Memory
from services.projections.log.routes import Logs
from services.transparency.beginning import init_public_logs
from services.transparency.folder import TransparencyFolder
from services.transparency.keeping.running import PublicLogRoom, run_transparency
from services.transparency.proving.proofs import Prover
from services.transparency.proving.routes import PROOF_ROUTES
from services.transparency.proving.salt_routes import SALT_ROUTES
from services.transparency.public_logs import PublicLogs
from services.transparency.routes import PUBLIC_LOG_ROUTES
from shared.http.routes import add_routes
from shared.tlog.checkpoints import read_checkpoint
from shared.tlog.leaves import LOG_NAMES
from tests.conftest import Database
from tests.log.deadlines import until
from tests.projections.conftest import KEYS, World, a_world, asked
from tests.projections.season import Season

PUBLIC_URL: Final = "https://mahjic.example"
AUDITOR_KEY: Final = next(key for key, caller in KEYS.items() if caller.kind == "auditor")

# What somebody on the way makes of an answer: its path and its bytes in, bytes out.
Alter = Callable[[str, bytes], bytes]


def as_it_is(_path: str, content: bytes) -> bytes:
    """Alter nothing."""
    return content


@dataclass
class SignedWorld:
    """A world whose logs are signed while it is open."""

    world: World
    path: Path
    # What the last check read.
    bytes_read: int = 0
    _memories: int = field(default=0)

    @property
    def season(self) -> Season:
        return self.world.season

    @property
    def folder(self) -> TransparencyFolder:
        return TransparencyFolder(self.path)

    async def follow(self) -> None:
        """Bring the views and the public logs up to everything that has happened."""
        await self.world.follow()
        logs = (self.season.facts, self.season.log)
        for name, log in zip(LOG_NAMES, logs, strict=True):
            size = (await log.tail()).seq

            async def is_signed() -> bool:
                note = self.folder.current(name).checkpoint()  # noqa: B023 - awaited in this turn.
                return note is not None and read_checkpoint(note).size >= size  # noqa: B023

            await until(is_signed)

    async def check(
        self,
        *players: str,
        alter: Alter = as_it_is,
        memory: Path | None = None,
        as_auditor: bool = False,
        **wanted: Sequence[Any],
    ) -> Checked:
        """Check the service in a thread, as `mahjic check` does."""
        loop = asyncio.get_running_loop()

        def answer(request: httpx.Request) -> httpx.Response:
            asking = self.world.client.get(request.url, headers=request.headers)
            found = asyncio.run_coroutine_threadsafe(asking, loop).result()
            path = str(request.url.raw_path.decode())
            headers = {
                name: value for name, value in found.headers.items() if name != "content-length"
            }
            content = alter(path, found.content)
            return httpx.Response(found.status_code, headers=headers, content=content)

        self._memories += 1
        kept = memory or self.path / f"checker-{self._memories}"
        asks = CheckRequest(players, wanted.get("log_keys", ()), wanted.get("witnesses", ()))

        def work() -> Checked:
            transport = httpx.MockTransport(answer)
            with httpx.Client(
                base_url=PUBLIC_URL, transport=transport, follow_redirects=True
            ) as client:
                key = AUDITOR_KEY if as_auditor else None
                service = AskedService(client, key)
                memory = Memory.of(service.place, kept)
                checked = check_service(service, asks, memory, lambda *_: None)
                self.bytes_read = service.bytes_read
                return checked

        return await asyncio.to_thread(work)


@asynccontextmanager
async def a_signed_world(database: Database, path: Path) -> AsyncIterator[SignedWorld]:
    """Give a world whose logs are signed."""
    world = await a_world(Season(database.pool))
    init_public_logs(path, PUBLIC_URL)
    public = PublicLogs(TransparencyFolder(path))
    logs = Logs(facts=world.season.facts, verdicts=world.season.log)
    prover = Prover(world.reader, logs, public)
    add_routes(world.app, (*PUBLIC_LOG_ROUTES, *PROOF_ROUTES, *SALT_ROUTES), public, prover)
    room = PublicLogRoom(
        TransparencyFolder(path),
        dict(zip(LOG_NAMES, (world.season.facts, world.season.log), strict=True)),
        now=lambda: datetime.now(UTC),
    )
    keeping = asyncio.create_task(run_transparency(room))
    try:
        async with asked(world):
            yield SignedWorld(world, path)
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
