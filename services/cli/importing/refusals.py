"""Writes the lines that were refused to a file, each with the reason, so that people mend them."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import orjson

from services.cli.importing.lines import Line
from shared.errors import MahjicError


class UnwritableRefusals(MahjicError):
    """The file for the lines that are refused cannot be written."""

    code = "unwritable_refusals"
    title = "The refused lines cannot be written down"
    exit_code = 2


class Refusals:
    """A file of refused lines, made with the first of them.

    Each is {"line": number, "problem": {...}, "claim": the line as JSON, or as text if it is none}.
    `size_bytes` is what of an earlier import's file is kept: all before its progress was.
    """

    def __init__(self, path: Path, size_bytes: int) -> None:
        self.path = path
        self.size_bytes = size_bytes
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        """Put away what an earlier import left that is not kept. Raises UnwritableRefusals."""
        try:
            if not self.size_bytes:
                self.path.unlink(missing_ok=True)
                return self
            if self.path.stat().st_size < self.size_bytes:
                raise UnwritableRefusals(
                    f"{self.path} no longer holds all the lines refused so far. Put it back, or "
                    "begin anew with --restart."
                )
            os.truncate(self.path, self.size_bytes)
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
            self._file.close()

    def add(self, line: Line, problem: Mapping[str, Any]) -> None:
        """Write a line down. Raises UnwritableRefusals."""
        entry = orjson.dumps({"line": line.number, "problem": problem, "claim": _as_json(line)})
        try:
            if self._file is None:
                self._file = self.path.open("ab")
            self._file.write(entry + b"\n")
        except OSError as error:
            raise self._unwritable(error) from error
        self.size_bytes += len(entry) + 1

    def flush(self) -> None:
        """Hand to the system all that was written down. Raises UnwritableRefusals."""
        try:
            if self._file is not None:
                self._file.flush()
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> UnwritableRefusals:
        reason = (error.strerror or type(error).__name__).lower()
        return UnwritableRefusals(
            f"{self.path}, for the lines that are refused, cannot be written: {reason}. Name "
            "another file with --refused."
        )


def _as_json(line: Line) -> object:
    try:
        orjson.loads(line.content)
    except orjson.JSONDecodeError:
        return line.content.decode(errors="replace")
    return orjson.Fragment(line.content.strip())
