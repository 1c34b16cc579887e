"""The rater's folder: columns, checkpoints, and the manifest that vouches for them.

All of it is a cache of the logs: losing it costs only time. So anything wrong with it is logged as
a warning, and the rater goes on without what it cannot trust.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import structlog

from services.rater.checkpoints import (
    CHECKPOINT_SUFFIX,
    GAP_FACTS_MIN,
    CheckpointUnusable,
    gap_facts,
    places_between,
    read_checkpoint,
    synchronize_checkpoint,
    thinned,
    write_checkpoint,
)
from services.rater.manifest import (
    FRESH_SUFFIX,
    CheckpointSeal,
    ColumnSeal,
    Manifest,
    ManifestUnusable,
    read_manifest,
    remove_manifest,
    write_manifest,
)
from shared.log.port import Position
from shared.machine.durable import synchronize
from shared.machine.own_files import open_own, open_own_descriptor
from shared.rating.columns import Standings
from shared.replay.files import COLUMN_SUFFIX, FolderColumns, Rows, column_path
from shared.replay.replay import Checkpoint

LOCK_NAME: Final = "lock"
HASHED_BYTES: Final = 1 << 20
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a rater knows as of a fact; none of it changes anymore.

    `verdict` is the seal of the last verdict on that fact, `time` that of the last readable fact.
    """

    position: Position
    verdict: str
    time: str
    rows: Mapping[str, Rows]
    standings: Standings


class RaterFolder:
    """A folder that only this process holds.

    Slow methods may be called in a thread, but never two methods at once.
    """

    def __init__(self, path: Path, lock: int, engine: str, gap_facts_min: int) -> None:
        self._path = path
        self._lock = lock
        self._engine = engine
        self._gap_facts_min = gap_facts_min
        self._players = 0
        self._manifest: Manifest | None = None
        self._checkpoints: tuple[CheckpointSeal, ...] = ()
        self._seals: dict[str, _RunningSeal] = {}
        self._columns = FolderColumns(path, {})
        self.is_lost = False

    def found(self, log_id: str) -> Manifest | None:
        """Return what the folder vouches for on this log by this engine, if all of it is there."""
        try:
            manifest = read_manifest(self._path)
            if manifest is not None:
                self._check(manifest, log_id)
        except ManifestUnusable as error:
            self.ignore(str(error))
            return None
        except OSError as error:
            self.ignore(_said(error))
            return None
        return manifest

    def ignore(self, reason: str) -> None:
        """Warn that nothing in the folder is used, and why."""
        _log.warning("rater_folder_ignored", folder=str(self._path), reason=reason)

    def begin(self, manifest: Manifest | None) -> FolderColumns:
        """Return the columns of what was found, or new ones; everything else is cleared away."""
        self._manifest = manifest
        self._checkpoints = () if manifest is None else manifest.checkpoints
        self._players = max((each.players for each in self._checkpoints), default=0)
        seals = {} if manifest is None else manifest.columns
        with self._told_when_lost():
            if manifest is None:
                # First, so that it never vouches for columns that start over.
                remove_manifest(self._path)
                self._seals.clear()
            self._remove(COLUMN_SUFFIX, {column_path(self._path, name).name for name in seals})
            self._remove(CHECKPOINT_SUFFIX, {each.file for each in self._checkpoints})
            self._remove(FRESH_SUFFIX, set())
        counts = {name: seal.rows for name, seal in seals.items()}
        self._columns = FolderColumns(self._path, counts)
        return self._columns

    def newest(self, place: int) -> Checkpoint | None:
        """Return the newest good checkpoint that is not beyond a place."""
        for seal in reversed(self._checkpoints):
            if seal.place <= place:
                try:
                    return Checkpoint(seal.place, read_checkpoint(self._path, seal))
                except CheckpointUnusable as error:
                    _log.warning(
                        "rater_checkpoint_ignored", folder=str(self._path), reason=str(error)
                    )
                    self._checkpoints = tuple(each for each in self._checkpoints if each != seal)
        return None

    def drop_beyond(self, place: int) -> None:
        """Drop the checkpoints beyond a place, durably: what they hold never happened."""
        self._checkpoints = tuple(each for each in self._checkpoints if each.place <= place)
        if self._manifest is None or self.is_lost:
            return
        kept = tuple(each for each in self._manifest.checkpoints if each.place <= place)
        if kept != self._manifest.checkpoints:
            with self._told_when_lost():
                self._vouch_for(replace(self._manifest, checkpoints=kept))

    def worth_keeping(self, start: int, end: int) -> Sequence[int]:
        """Return the places on the way from `start` to `end` where checkpoints should be."""
        return () if self.is_lost else places_between(start, end, self._gap_facts())

    def keep(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint; the next manifest will name it."""
        if self.is_lost:
            return
        self._players = len(checkpoint.standings.is_verified)
        with self._told_when_lost():
            seal = write_checkpoint(self._path, checkpoint)
            others = (each for each in self._checkpoints if each.place != checkpoint.place)
            self._checkpoints = tuple(sorted((*others, seal), key=lambda each: each.place))

    def save(self, snapshot: Snapshot) -> None:
        """Vouch for all rows and standings as of a fact, once they are on disk."""
        position = snapshot.position
        self.keep(Checkpoint(position.seq + 1, snapshot.standings))
        if self.is_lost:
            return
        with self._told_when_lost():
            if self._columns.lost is not None:
                raise self._columns.lost
            named = set() if self._manifest is None else set(self._manifest.checkpoints)
            checkpoints = thinned(self._checkpoints, self._gap_facts())
            for seal in set(checkpoints) - named:
                synchronize_checkpoint(self._path, seal)
            self._columns.synchronize()
            synchronize(self._path)
            self._checkpoints = checkpoints
            self._vouch_for(
                Manifest(
                    log_id=position.log_id,
                    seq=position.seq,
                    chain=position.chain.hex(),
                    engine=self._engine,
                    verdict=snapshot.verdict,
                    time=snapshot.time,
                    columns={
                        name: self._sealed(name, rows) for name, rows in snapshot.rows.items()
                    },
                    checkpoints=checkpoints,
                )
            )

    def close(self) -> None:
        """Release the folder."""
        os.close(self._lock)

    def _gap_facts(self) -> int:
        return gap_facts(self._players, self._gap_facts_min)

    def _vouch_for(self, manifest: Manifest) -> None:
        write_manifest(self._path, manifest)
        self._manifest = manifest
        named = {each.file for each in (*manifest.checkpoints, *self._checkpoints)}
        self._remove(CHECKPOINT_SUFFIX, named)

    def _check(self, manifest: Manifest, log_id: str) -> None:
        """Check that a manifest fits, and read everything that counts. Raises ManifestUnusable."""
        if manifest.log_id != log_id:
            raise ManifestUnusable(f"It belongs to another log, {manifest.log_id}.")
        if manifest.engine != self._engine:
            raise ManifestUnusable(f"It was written by another engine, {manifest.engine}.")
        for name, seal in manifest.columns.items():
            self._seals[name] = self._checked(name, seal)

    def _checked(self, name: str, seal: ColumnSeal) -> "_RunningSeal":
        """Read the rows of a column that count. Raises ManifestUnusable and OSError."""
        running, left = _RunningSeal(), seal.rows * seal.row_bytes
        with open_own(column_path(self._path, name), "rb") as file:
            while left:
                chunk = file.read(min(left, HASHED_BYTES))
                if not chunk:
                    raise ManifestUnusable(f"The column {name} was cut short.")
                running.take_in(chunk)
                left -= len(chunk)
        if running.sha256 != seal.sha256:
            raise ManifestUnusable(f"The column {name} was altered.")
        running.rows = seal.rows
        return running

    def _sealed(self, name: str, rows: Rows) -> ColumnSeal:
        running = self._seals.setdefault(name, _RunningSeal())
        running.take_in(rows[running.rows :].data)
        running.rows = len(rows)
        row_bytes = rows.itemsize * (rows.shape[1] if rows.ndim > 1 else 1)
        return ColumnSeal(len(rows), row_bytes, running.sha256)

    def _remove(self, suffix: str, kept: set[str]) -> None:
        """Remove our files with a suffix, and leave alone anything else that was put here."""
        for path in self._path.glob(f"*{suffix}"):
            if path.name not in kept:
                path.unlink(missing_ok=True)

    @contextmanager
    def _told_when_lost(self) -> Iterator[None]:
        """Turn a disk error into one warning, after which nothing more is written."""
        try:
            yield
        except OSError as error:
            self.is_lost = True
            _log.warning("rater_folder_lost", folder=str(self._path), reason=_said(error))


class _RunningSeal:
    """The seal of a growing column, and the number of rows it covers."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.rows = 0

    def take_in(self, content: bytes | memoryview) -> None:
        """Seal more content."""
        self._digest.update(content)

    @property
    def sha256(self) -> str:
        """The seal so far, in hexadecimal."""
        return self._digest.hexdigest()


class FolderInUse(Exception):
    """Another process holds the folder; the text is a sentence that says so."""


def open_folder(
    path: Path, engine: str, *, gap_facts_min: int = GAP_FACTS_MIN
) -> RaterFolder | None:
    """Take a folder for this process alone; None, after a warning, if it cannot be used.

    Raises FolderInUse when another process holds it.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = _locked(path / LOCK_NAME)
    except BlockingIOError:
        raise FolderInUse(f"Another process holds {path}.") from None
    except OSError as error:
        _log.warning("rater_folder_unusable", folder=str(path), reason=_said(error))
        return None
    return RaterFolder(path, lock, engine, gap_facts_min)


def _locked(path: Path) -> int:
    """Return a file locked by us; closing it ends the lock. Raises BlockingIOError."""
    lock = open_own_descriptor(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _said(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{place}."
