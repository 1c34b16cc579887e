"""Growing arrays of whole numbers, in memory or as files that are mapped into it: one interface.

Rows are only ever appended, and never change. A file may hold more rows than count: those beyond
the ones that are vouched for are overwritten. Rows are written, not stored through the map, so
that a full disk is an error and not a signal; a file that cannot grow continues in memory.
"""

import mmap
import os
import weakref
from array import array
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from shared.machine.own_files import open_own_descriptor

Rows: TypeAlias = NDArray[Any]

# Rows are appended one by one, and an array or file is touched once for this many numbers.
TAIL_NUMBERS_MAX: Final = 16_384
CAPACITY_BYTES_MIN: Final = 64 * 1024
COLUMN_SUFFIX: Final = ".column"


class StoredColumn:
    """A growing array of whole numbers, `width` side by side in a row.

    Only one thread may use it; `rows` may be passed to another, since they never change.
    """

    def __init__(self, store: "_Store", rows: int = 0) -> None:
        self._store = store
        self._written = rows
        # The typecodes of arrays and of dtypes of numpy are the same for whole numbers.
        self._tail: array[int] = array(store.dtype.char)
        self.lost: OSError | None = None

    def __len__(self) -> int:
        return self._written + len(self._tail) // self._store.width

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._store.dtype

    @property
    def rows(self) -> Rows:
        """All rows, of shape [n], or [n, width] where a row is of several numbers."""
        self._write_tail()
        rows = self._store.view(self._written)
        return rows[:, 0] if self._store.width == 1 else rows

    def append(self, numbers: Iterable[int]) -> None:
        """Append the numbers of a row, or of several rows one after the other."""
        self._tail.extend(numbers)
        if len(self._tail) >= TAIL_NUMBERS_MAX:
            self._write_tail()

    def extend(self, rows: Rows) -> None:
        """Append rows, of the shape that `rows` has; their numbers fit the column."""
        numbers = np.ascontiguousarray(rows, self._store.dtype)
        if len(self._tail) + numbers.size < TAIL_NUMBERS_MAX:
            self._tail.frombytes(numbers.tobytes())
            return
        self._write_tail()
        self._write(numbers.reshape(-1, self._store.width))

    def synchronize(self) -> None:
        """Bring what was written to the disk. Raises OSError. Any thread may ask for it."""
        self._store.synchronize()

    def _write_tail(self) -> None:
        if self._tail:
            tail, self._tail = self._tail, array(self._tail.typecode)
            self._write(np.frombuffer(tail, self._store.dtype).reshape(-1, self._store.width))

    def _write(self, rows: Rows) -> None:
        try:
            self._store.write(self._written, rows)
        except OSError as error:
            # Once only: an array in memory has no such errors.
            self.lost = error
            file, self._store = self._store, _Memory(self._store.dtype, self._store.width)
            self._store.write(0, file.view(self._written))
            self._store.write(self._written, rows)
        self._written += len(rows)


class StoredColumns:
    """Named growing arrays, in memory."""

    def __init__(self) -> None:
        self._columns: dict[str, StoredColumn] = {}

    def column(self, name: str, dtype: DTypeLike, width: int = 1) -> StoredColumn:
        """Return a new column, empty or with the rows that count in its file."""
        assert name not in self._columns, f"There are two columns {name}."
        column = self._columns[name] = self._made(name, np.dtype(dtype), width)
        return column

    @property
    def counts(self) -> dict[str, int]:
        """How many rows each column has."""
        return {name: len(column) for name, column in self._columns.items()}

    @property
    def rows(self) -> dict[str, Rows]:
        """The rows of each column as they are now."""
        return {name: column.rows for name, column in self._columns.items()}

    @property
    def lost(self) -> OSError | None:
        """Why a column is no longer in its file, if there is one."""
        return next((each.lost for each in self._columns.values() if each.lost is not None), None)

    def synchronize(self) -> None:
        """Bring what was written to the disk. Raises OSError. Any thread may ask for it."""
        for column in tuple(self._columns.values()):
            column.synchronize()

    def _made(self, _name: str, dtype: np.dtype[Any], width: int) -> StoredColumn:
        return StoredColumn(_Memory(dtype, width))


class FolderColumns(StoredColumns):
    """Named growing arrays, each in a file of a folder, which no one else may write to.

    `counts` are the rows of each file that count; those of a file that is not named there do not.
    """

    def __init__(self, folder: Path, counts: Mapping[str, int]) -> None:
        super().__init__()
        self._folder = folder
        self._counts = counts

    def _made(self, name: str, dtype: np.dtype[Any], width: int) -> StoredColumn:
        rows = self._counts.get(name, 0)
        try:
            return StoredColumn(_File(column_path(self._folder, name), dtype, width), rows)
        except OSError as error:
            if rows:
                raise
            column = super()._made(name, dtype, width)
            column.lost = error
            return column


def column_path(folder: Path, name: str) -> Path:
    """Return the file of a column."""
    return folder / f"{name}{COLUMN_SUFFIX}"


class _Store(Protocol):
    """Where the rows of a column are."""

    dtype: np.dtype[Any]
    width: int

    def write(self, start: int, rows: Rows) -> None:
        """Put rows after the first `start` ones."""
        ...

    def view(self, rows: int) -> Rows:
        """Return the first rows, of shape [rows, width]; they cannot be written to."""
        ...

    def synchronize(self) -> None:
        """Bring what was written to the disk."""
        ...


class _Memory:
    """Rows in an array that doubles."""

    def __init__(self, dtype: np.dtype[Any], width: int) -> None:
        self.dtype = dtype
        self.width = width
        self._rows = np.empty((0, width), dtype)

    def write(self, start: int, rows: Rows) -> None:
        end = start + len(rows)
        if end > len(self._rows):
            grown = np.empty((max(end, 2 * start), self.width), self.dtype)
            grown[:start] = self._rows[:start]
            self._rows = grown
        self._rows[start:end] = rows

    def view(self, rows: int) -> Rows:
        view = self._rows[:rows]
        view.flags.writeable = False
        return view

    def synchronize(self) -> None:
        pass


class _File:
    """Rows in a file, which is mapped into memory to be read."""

    def __init__(self, path: Path, dtype: np.dtype[Any], width: int) -> None:
        self.dtype = dtype
        self.width = width
        self._row_bytes = dtype.itemsize * width
        self._file = open_own_descriptor(path, os.O_RDWR | os.O_CREAT)
        weakref.finalize(self, os.close, self._file)
        self._map: mmap.mmap | None = None

    def write(self, start: int, rows: Rows) -> None:
        unwritten = rows.data.cast("B")
        place = start * self._row_bytes
        self._make_room(place + len(unwritten))
        while unwritten:
            written = os.pwrite(self._file, unwritten, place)
            unwritten, place = unwritten[written:], place + written

    def view(self, rows: int) -> Rows:
        if rows == 0:
            return np.empty((0, self.width), self.dtype)
        if self._map is None or len(self._map) < rows * self._row_bytes:
            # Rows handed out earlier keep the old map: both show the same file.
            self._map = mmap.mmap(self._file, 0, prot=mmap.PROT_READ)
        return np.frombuffer(self._map, self.dtype, rows * self.width).reshape(rows, self.width)

    def synchronize(self) -> None:
        os.fsync(self._file)

    def _make_room(self, size: int) -> None:
        """Let the file end in a hole, which takes no space, so it rarely has to be mapped again."""
        if os.fstat(self._file).st_size < size:
            os.ftruncate(self._file, max(CAPACITY_BYTES_MIN, 2 * size))
