"""Writes the refused lines to a file, each with the reason, so that people can fix them."""

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson

from services.cli.importing.lines import BLOCK_BYTES, Line
from shared.errors import MahjicError


class UnwritableRefusals(MahjicError):
    """The file for refused lines cannot be written."""

    code = "unwritable_refusals"
    title = "The refused lines cannot be saved"
    exit_code = 2


@dataclass(frozen=True, slots=True)
class Written:
    """What a file of refused lines holds: its length in bytes, and its SHA-256 in hexadecimal."""

    size_bytes: int
    digest: str


class Refusals:
    """A file of refused lines, created with the first of them.

    Each is {"line": number, "problem": {...}, "claim": the line as JSON, or else as text}.
    `earlier` is the part of an earlier import's file that is kept: what its progress covers.
    """

    def __init__(self, path: Path, earlier: Written | None) -> None:
        self.path = path
        self._earlier = earlier
        self._size_bytes = 0
        self._read = hashlib.sha256()
        self._file: IO[bytes] | None = None

    @property
    def written(self) -> Written:
        """What has been written so far."""
        return Written(self._size_bytes, self._read.hexdigest())

    def __enter__(self) -> Self:
        """Remove what an earlier import left that is not kept. Raises UnwritableRefusals."""
        try:
            # A device or a pipe keeps nothing, and is not ours to remove.
            if not self.path.exists() or self.path.is_file():
                self._put_away()
        except OSError as error:
            raise self._unwritable(error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._file is not None:
            # A failure to write was already reported by the flush.
            with contextlib.suppress(OSError):
                self._file.close()

    def _put_away(self) -> None:
        earlier = self._earlier
        if earlier is None or not earlier.size_bytes:
            self.path.unlink(missing_ok=True)
            return
        if self.path.exists():
            with self.path.open("r+b") as file:
                self._read_up_to(earlier.size_bytes, file)
                if self.written == earlier:
                    file.truncate(earlier.size_bytes)
        if self.written != earlier:
            raise UnwritableRefusals(
                f"{self.path} does not start with the lines refused so far. Put them back, name "
                "their file with --refused, or start over with --restart."
            )

    def _read_up_to(self, size_bytes: int, file: IO[bytes]) -> None:
        while part := file.read(min(size_bytes - self._size_bytes, BLOCK_BYTES)):
            self._read.update(part)
            self._size_bytes += len(part)

    def add(self, line: Line, problem: Mapping[str, Any]) -> None:
        """Write a refused line. Raises UnwritableRefusals."""
        document = {"line": line.number, "problem": problem, "claim": _as_json(line)}
        entry = orjson.dumps(document, option=orjson.OPT_APPEND_NEWLINE)
        try:
            if self._file is None:
                self._file = self.path.open("ab")
            self._file.write(entry)
        except OSError as error:
            raise self._unwritable(error) from error
        self._size_bytes += len(entry)
        self._read.update(entry)

    def flush(self) -> None:
        """Hand everything written to the system. Raises UnwritableRefusals."""
        try:
            if self._file is not None:
                self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> UnwritableRefusals:
        reason = (error.strerror or type(error).__name__).lower()
        return UnwritableRefusals(
            f"{self.path}, the file for refused lines, cannot be written: {reason}. Name "
            "another file with --refused."
        )


def _as_json(line: Line) -> object:
    try:
        orjson.loads(line.content)
    except orjson.JSONDecodeError:
        return line.content.decode(errors="replace")
    return orjson.Fragment(line.content.strip())
