"""Runs a service that keeps public logs, on a real database."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from services.telling import public_log_room
from services.transparency.folder import TransparencyFolder
from services.transparency.keeping.running import run_transparency
from shared.tlog.leaves import LOG_NAMES
from tests.conftest import Database
from tests.log.deadlines import until
from tests.service import RunningService, running_service
from tests.transparency.town import PUBLIC_URL


@asynccontextmanager
async def keeping(
    database: Database, folder: Path, **settings: Any
) -> AsyncIterator[RunningService]:
    """Run a service that keeps the public logs of a folder."""
    settings = {
        "wait_s_default": 30,
        "transparency": folder,
        "public_url": PUBLIC_URL,
        **settings,
    }
    async with running_service(database, **settings) as service:
        room = public_log_room(service.service.process, service.service.logs)
        service.run("public logs", run_transparency(room))
        yield service


async def until_all_is_signed(service: RunningService, folder: Path) -> None:
    """Wait until both logs are signed up to their ends."""
    logs = service.service.logs

    async def signed() -> bool:
        ends = [(await logs.recorded.tail()).seq, (await logs.verdicts.tail()).seq]
        kept = TransparencyFolder(folder)
        return ends == [kept.current(name).signed_size() for name in LOG_NAMES]

    await until(signed)
