"""The figures by which whoever watches a process knows how the public logs stand."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from prometheus_client import CollectorRegistry

from services.transparency.folder import Standstill
from services.transparency.public_logs import PublicLogs
from services.transparency.telling import tell_public_logs
from tests.log.deadlines import until
from tests.transparency.town import PublicTown

AWAY: Final = "http://127.0.0.1:1 w.example+e4044fdc+BAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"


@asynccontextmanager
async def told(town: PublicTown) -> AsyncIterator[CollectorRegistry]:
    """Report the figures of a town while the context is open."""
    registry = CollectorRegistry()
    telling = tell_public_logs(PublicLogs(town.folder, town.witnesses), registry)
    task = asyncio.create_task(telling)
    try:
        yield registry
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def figure(registry: CollectorRegistry, name: str, log: str | None = None) -> float | None:
    """Return a figure."""
    labels = None if log is None else {"log": log}
    return registry.get_sample_value(f"mahjic_transparency_{name}", labels)


async def test_they_tell_size_time_and_who_cosigned(town: PublicTown) -> None:
    town.witnesses = [AWAY]
    await town.play(2)
    async with town.kept():
        await town.until_signed(2)
    async with told(town) as registry:

        async def is_told() -> bool:
            return figure(registry, "size", "verdicts") == 2

        await until(is_told)
        written = (town.path / "facts" / "checkpoint").stat().st_mtime
        signed_at = figure(registry, "signed_at_seconds", "facts")
        assert signed_at is not None
        assert abs(signed_at - written) < 0.001
        assert figure(registry, "cosigned", "facts") == 0
        assert figure(registry, "witnesses") == 1
        assert figure(registry, "stopped") == 0


async def test_they_tell_that_nothing_is_signed(town: PublicTown) -> None:
    town.folder.stop(Standstill("history_split", "Record 3 is gone.", "2026-11-30T12:00:00+00:00"))
    async with told(town) as registry:

        async def is_told() -> bool:
            return figure(registry, "stopped") == 1

        await until(is_told)
        assert figure(registry, "size", "facts") is None
