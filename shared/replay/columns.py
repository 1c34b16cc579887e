"""What the chronicle needs of growing columns; `files.py` has them in memory and in files."""

from collections.abc import Iterable
from typing import Any, Protocol, TypeAlias

from numpy.typing import DTypeLike, NDArray

Rows: TypeAlias = NDArray[Any]


class Column(Protocol):
    """Rows of whole numbers; new ones come at the end, and none ever changes."""

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    @property
    def rows(self) -> Rows:
        """All rows, of shape [n], or [n, width] where a row is of several numbers."""
        ...

    def append(self, numbers: Iterable[int]) -> None:
        """Append the numbers of a row, or of several rows one after the other."""
        ...

    def extend(self, rows: Rows) -> None:
        """Append rows, of the shape that `rows` has; their numbers fit the column."""
        ...


class Columns(Protocol):
    """Where columns come from, by name, with the rows they already have or empty."""

    def column(self, name: str, dtype: DTypeLike, width: int = 1) -> Column:
        """Return the column of that name, which is asked for once."""
        ...


class Texts:
    """Texts of plain ASCII, numbered from 0 in the order in which they came."""

    def __init__(self, columns: Columns, name: str) -> None:
        self._ends = columns.column(f"{name}_ends", "int64")
        self._letters = columns.column(f"{name}_letters", "uint8")

    def __len__(self) -> int:
        return len(self._ends)

    def append(self, text: str) -> int:
        """Append a text, and return its number."""
        self._letters.append(text.encode("ascii"))
        self._ends.append((len(self._letters),))
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        begin = int(self._ends.rows[number - 1]) if number else 0
        letters: bytes = self._letters.rows[begin : int(self._ends.rows[number])].tobytes()
        return letters.decode("ascii")
