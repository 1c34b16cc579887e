"""Keeps answers until the client reads them: a few in memory, more on disk, up to a limit.

When there is no room, `put` waits until something is taken out.
"""

import asyncio
from typing import Final

import structlog

from services.ingest.batches.spool import Spool

# How much is kept in memory: the answers to some 200 lines.
MEMORY_BYTES_MAX: Final = 512 << 10
# A client that reads makes room within this time. Only answers to slower clients go to disk.
PATIENCE_S: Final = 0.05
# How much is read from disk at a time.
PIECE_BYTES: Final = 128 << 10

_log = structlog.get_logger(__name__)


class Outbox:
    """A queue of bytes with one writer and one reader."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._is_disk_lost = False
        # What is in memory is newer than what is on disk.
        self._newest: list[bytes] = []
        self._newest_bytes = 0
        self._is_complete = False
        # Held while bytes move between memory and disk, and are in neither.
        self._moving = asyncio.Lock()
        self._filled = asyncio.Event()
        self._taken = asyncio.Event()

    async def put(self, content: bytes) -> None:
        """Add bytes, then wait until there is room for more."""
        self._newest.append(content)
        self._newest_bytes += len(content)
        self._filled.set()
        while self._newest_bytes >= MEMORY_BYTES_MAX:
            self._taken.clear()
            try:
                async with asyncio.timeout(PATIENCE_S if self._can_spool() else None):
                    await self._taken.wait()
            except TimeoutError:
                await self._move_to_disk()

    def complete(self) -> None:
        """Say that nothing more will be added."""
        self._is_complete = True
        self._filled.set()

    async def take(self) -> bytes:
        """Wait for the next bytes and take them out. Empty bytes mean the end."""
        while True:
            async with self._moving:
                content = await self._take_oldest()
            if content:
                self._taken.set()
                return content
            if self._is_complete:
                return b""
            self._filled.clear()
            await self._filled.wait()

    def discard(self) -> None:
        self._spool.close()

    def _can_spool(self) -> bool:
        return not self._is_disk_lost and self._newest_bytes <= self._spool.room_bytes

    async def _move_to_disk(self) -> None:
        async with self._moving:
            content, self._newest, self._newest_bytes = b"".join(self._newest), [], 0
            try:
                await asyncio.to_thread(self._spool.write, content)
            except OSError as error:
                # A full disk slows the client down, but nothing is lost.
                _log.warning("batch_spool_lost", error=type(error).__name__, errno=error.errno)
                self._is_disk_lost = True
                self._newest, self._newest_bytes = [content], len(content)

    async def _take_oldest(self) -> bytes:
        if len(self._spool):
            return await asyncio.to_thread(self._spool.read, PIECE_BYTES)
        content, self._newest, self._newest_bytes = b"".join(self._newest), [], 0
        return content
