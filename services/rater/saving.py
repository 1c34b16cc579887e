"""Keeps what the rater knows in its folder while it works, and brings it back at the next start.

Without a folder everything is in memory, and each start begins with fact 1.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import structlog

from services.rater.agreement import engine_of
from services.rater.answering import Rater
from services.rater.checkpoints import GAP_FACTS_MIN
from services.rater.folder import FolderInUse, RaterFolder, Snapshot, open_folder
from services.rater.manifest import Manifest, seal_of
from services.rater.threads import in_a_thread
from shared.log.port import Log, Position, Record
from shared.log.until_there import until_there
from shared.replay.chronicle import Chronicle
from shared.replay.files import StoredColumns

# A rater that was replaced finds out within a second, and releases the folder.
LOCK_WAIT_S: Final = 3.0
LOCK_POLL_S: Final = 0.05

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Pace:
    """The least number of facts between saves, and between checkpoints."""

    # Half a second of reading at the next start.
    save_facts: int = 5_000
    gap_facts: int = GAP_FACTS_MIN
    # At most this share of the time is spent on saving.
    saving_share: float = 1 / 20


DEFAULT_PACE: Final = Pace()


class Keeper:
    """The folder of one rater, or no folder at all."""

    def __init__(self, folder: RaterFolder | None, engine: str, pace: Pace) -> None:
        self._folder = folder
        self.engine = engine
        self._pace = pace
        self._columns = StoredColumns()
        self._last_body = b""
        self._saved_seq = 0
        self._is_due = False
        self._next_s = 0.0
        self._saving: asyncio.Task[None] | None = None

    async def restored(
        self, facts: Log, beginning: Position, *, fact_seq: int, published: Record | None
    ) -> Rater:
        """Return a rater at the newest fact in the folder if it fits, else at the beginning.

        `fact_seq` is the last fact that was answered, and `published` the last verdict. The
        standings lag behind until the rater is settled.
        """
        folder = self._folder
        if folder is None:
            return Rater(beginning, self.engine, Chronicle(self._columns))
        manifest = await in_a_thread(lambda _: folder.found(beginning.log_id))
        if manifest is not None:
            reason = await self._misfit(manifest, facts, fact_seq, published)
            if reason is not None:
                folder.ignore(reason)
                manifest = None
        return await self._begun(folder, beginning, manifest)

    def answered(self, rater: Rater, last_body: bytes, *, has_corrected: bool = False) -> None:
        """Note that every fact up to the rater's position is answered, and perhaps start saving.

        `last_body` is the last verdict. A correction is worth a save of its own, since it dropped
        checkpoints.
        """
        self._last_body = last_body
        self._is_due |= has_corrected
        self.save_if_due(rater)

    def save_if_due(self, rater: Rater) -> None:
        """Start saving what the rater knows, if it is time; every fact is answered by now."""
        self._is_due |= rater.position.seq - self._saved_seq >= self._pace.save_facts
        if self._folder is None or self._folder.is_lost or not self._is_due:
            return
        if self._saving is not None or time.monotonic() < self._next_s:
            return
        snapshot = Snapshot(
            position=rater.position,
            verdict=seal_of(self._last_body),
            time=rater.state.time,
            rows=self._columns.rows,
            standings=rater.state.standings.copy(),
        )
        self._is_due = False
        self._saved_seq = rater.position.seq
        self._saving = asyncio.create_task(self._save(self._folder, snapshot))

    async def at_rest(self) -> None:
        """Wait until nothing is being saved: only one may write to the folder at a time."""
        if self._saving is not None:
            await asyncio.wait([self._saving])

    def close(self) -> None:
        """Release the folder, as soon as nothing is being saved."""
        folder = self._folder
        if folder is None:
            return
        if self._saving is None:
            folder.close()
        else:
            self._saving.add_done_callback(lambda _: folder.close())

    async def _misfit(
        self, manifest: Manifest, facts: Log, fact_seq: int, published: Record | None
    ) -> str | None:
        """Return why a manifest does not fit the logs; None if it does."""
        if manifest.seq > fact_seq:
            return f"It is as of fact {manifest.seq}, but only {fact_seq} were rated."
        place = await until_there(partial(facts.at, manifest.seq))
        if place is None or place.chain.hex() != manifest.chain:
            return f"Fact {manifest.seq} on the log is a different one."
        if published is None or engine_of(published) != self.engine:
            return "The last verdict was written by another engine."
        if manifest.seq == fact_seq and seal_of(published.body) != manifest.verdict:
            return f"The last verdict, on fact {fact_seq}, is a different one."
        return None

    async def _begun(
        self, folder: RaterFolder, beginning: Position, manifest: Manifest | None
    ) -> Rater:
        self._columns = await in_a_thread(lambda _: folder.begin(manifest))
        chronicle = await in_a_thread(lambda _: Chronicle(self._columns))
        rater = Rater(beginning, self.engine, chronicle, folder)
        if manifest is not None:
            position = Position(manifest.log_id, manifest.seq, bytes.fromhex(manifest.chain))
            rater.restore(position, manifest.time)
            self._saved_seq = manifest.seq
            _log.info("rater_restored", fact_seq=manifest.seq)
        return rater

    async def _save(self, folder: RaterFolder, snapshot: Snapshot) -> None:
        began_s = time.monotonic()
        try:
            # Even when this is canceled, no one else gets the folder until the thread has ended.
            await in_a_thread(lambda _: folder.save(snapshot))
        finally:
            ended_s = time.monotonic()
            self._next_s = ended_s + (ended_s - began_s) / self._pace.saving_share
            self._saving = None


@asynccontextmanager
async def keeping(path: Path | None, engine: str, pace: Pace) -> AsyncIterator[Keeper]:
    """Keep what a rater knows in a folder while the context is open, if a folder can be used."""
    folder = None
    if path is None:
        _log.warning("rater_without_folder", reason="Every start reads all facts again.")
    else:
        folder = await _taken(path, engine, pace.gap_facts)
    keeper = Keeper(folder, engine, pace)
    try:
        yield keeper
    finally:
        keeper.close()


async def _taken(path: Path, engine: str, gap_facts_min: int) -> RaterFolder | None:
    """Take the folder, and wait a moment if another rater holds it that may just be stopping."""
    deadline_s = time.monotonic() + LOCK_WAIT_S
    while True:
        try:
            return open_folder(path, engine, gap_facts_min=gap_facts_min)
        except FolderInUse as error:
            if time.monotonic() > deadline_s:
                _log.warning("rater_folder_in_use", folder=str(path), reason=str(error))
                return None
        await asyncio.sleep(LOCK_POLL_S)
