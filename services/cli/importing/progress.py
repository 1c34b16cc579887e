"""Keeps track, next to a file, of how far it is imported, so that the next import continues there.

Only one import of a file holds its progress at a time.
"""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from services.cli.importing.lines import LinePlace
from services.cli.importing.refusals import Written
from shared.errors import MahjicError
from shared.machine.own_files import open_own_descriptor

FORMAT: Final = "mahjic-import/1"
# It is written in one piece of at least this size, so nothing older shows behind it.
PROGRESS_BYTES: Final = 4096


class ImportRuns(MahjicError):
    """Someone is importing the same file right now."""

    code = "import_runs"
    title = "The file is already being imported"
    exit_code = 2


class UnreadableProgress(MahjicError):
    """The file that should hold the progress holds something else, or belongs to another import."""

    code = "unreadable_progress"
    title = "The progress of an import cannot be used"
    exit_code = 2


class FileChanged(MahjicError):
    """The part of the file that was imported is no longer what it was."""

    code = "file_changed"
    title = "The file changed since it was imported in part"
    exit_code = 2


@dataclass(slots=True)
class Tally:
    """How many lines had which answer; refused ones by the code of their problem.

    `not_counting` are those of sessions that were voided or corrected since.
    """

    recorded: int = 0
    replayed: int = 0
    not_counting: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    @property
    def refused_lines(self) -> int:
        return sum(self.refused.values())

    @property
    def lines(self) -> int:
        return self.recorded + self.replayed + self.not_counting + self.refused_lines


class Reached(BaseModel):
    """How far an import came: the place in the file, its answers, and the file of refused lines.

    `to` identifies the service and key.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    format: str = Field(default=FORMAT, pattern=f"^{FORMAT}$")
    to: str
    line: int = Field(ge=1)
    offset: int = Field(ge=1)
    digest: str = Field(pattern="^[0-9a-f]{64}$")
    recorded: int = Field(ge=0)
    replayed: int = Field(ge=0)
    not_counting: int = Field(ge=0, default=0)
    refused: dict[str, int]
    refused_file_bytes: int = Field(ge=0)
    refused_file_digest: str = Field(pattern="^[0-9a-f]{64}$")

    @property
    def place(self) -> LinePlace:
        """The place in the file."""
        return LinePlace(self.line, self.offset, self.digest)

    @property
    def tally(self) -> Tally:
        return Tally(self.recorded, self.replayed, self.not_counting, dict(self.refused))

    @property
    def written(self) -> Written:
        """What was in the file of the refused lines."""
        return Written(self.refused_file_bytes, self.refused_file_digest)


class ProgressKeeper:
    """The progress of a file, locked; `reached` is what an earlier import left, if any."""

    def __init__(self, path: Path, descriptor: int, to: str, reached: Reached | None) -> None:
        self._path = path
        self._descriptor = descriptor
        self._to = to
        self.reached = reached

    def keep(self, place: LinePlace, tally: Tally, written: Written) -> None:
        """Save how far it is. Raises UnreadableProgress."""
        reached = Reached(
            to=self._to,
            line=place.line,
            offset=place.offset,
            digest=place.digest,
            recorded=tally.recorded,
            replayed=tally.replayed,
            not_counting=tally.not_counting,
            refused=tally.refused,
            refused_file_bytes=written.size_bytes,
            refused_file_digest=written.digest,
        )
        content = orjson.dumps(reached.model_dump()).ljust(PROGRESS_BYTES - 1) + b"\n"
        try:
            os.pwrite(self._descriptor, content, 0)
        except OSError as error:
            raise _unusable(self._path, error) from error

    def forget(self) -> None:
        """Remove the progress: the import is done, or starts over."""
        self._path.unlink(missing_ok=True)


@contextmanager
def keeping(path: Path, *, to: str, is_restart: bool) -> Iterator[ProgressKeeper]:
    """Give the progress at a path while the context is open.

    Raises ImportRuns, UnreadableProgress.
    """
    descriptor = _locked(path)
    try:
        reached = None if is_restart else _read(path, descriptor)
        if reached is not None and reached.to != to:
            raise UnreadableProgress(
                f"{path} is from an import to another service, or with another key. Use the "
                "same MAHJIC_URL and MAHJIC_KEY as then, or start over with --restart."
            )
        if reached is None:
            os.ftruncate(descriptor, 0)
        yield ProgressKeeper(path, descriptor, to, reached)
    finally:
        left = os.fstat(descriptor)
        if left.st_nlink and not left.st_size:
            path.unlink()  # Nothing was reached, so nothing is left behind.
        os.close(descriptor)


def named(url: str, key: str) -> str:
    """Return a name for a service and a key that reveals neither."""
    return hashlib.sha256(f"{url}\n{key}".encode()).hexdigest()[:32]


def _locked(path: Path) -> int:
    """Open the progress, creating it if needed, and lock it until it is closed."""
    while True:
        try:
            descriptor = open_own_descriptor(path, os.O_RDWR | os.O_CREAT, is_link_followed=True)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise ImportRuns(
                f"Another import is using {path}. Wait until it has finished; two of them would "
                "not be any faster."
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise _unusable(path, error) from error
        # Another import may have removed it between the two steps above: then no one else finds it.
        if os.fstat(descriptor).st_nlink:
            return descriptor
        os.close(descriptor)


def _read(path: Path, descriptor: int) -> Reached | None:
    try:
        content = os.pread(descriptor, 1 << 20, 0)
        return Reached.model_validate_json(content) if content else None
    except OSError as error:
        raise _unusable(path, error) from error
    except ValidationError:
        raise UnreadableProgress(
            f"{path} was not written by an import. Move it away, or start over with --restart: "
            "what is on record counts once, no matter how often it is sent."
        ) from None


def _unusable(path: Path, error: OSError) -> UnreadableProgress:
    reason = (error.strerror or type(error).__name__).lower()
    return UnreadableProgress(
        f"{path}, which keeps track of the import, cannot be used: {reason}. Copy the file to a "
        "folder where you may write, or import it from stdin."
    )
