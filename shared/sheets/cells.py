"""What a sheet is made of once its file is open: cells, where they are, and what is wrong with
them.

Nothing here knows a file format. A cell holds what was stored, never what someone might have
meant: a cell that cannot be trusted says so (`fault`), and only matters where it is needed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple

from shared.errors import (
    MORE_MISTAKES,
    MORE_WORDS,
    MahjicError,
    number_of_mistakes,
    told_mistakes,
)

_LETTERS: Final = 26


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a cell cannot be used as it is: a code, and a sentence that says what to do."""

    code: str
    message: str


class Cell(NamedTuple):
    """One cell. `value` is a str, Decimal or date as `kind` says, None if blank or broken.

    `text` is what a message quotes. `fault` is there when the kind is "broken".
    """

    kind: Literal["blank", "text", "number", "date", "broken"]
    value: str | Decimal | date | None = None
    text: str = ""
    fault: Fault | None = None

    @property
    def is_blank(self) -> bool:
        """Whether a reader of the sheet sees nothing there."""
        return self.kind == "blank" or (self.kind == "text" and not self.text.strip())


BLANK: Final = Cell("blank")


def text_cell(text: str) -> Cell:
    """Return the cell that holds a text."""
    return Cell("text", text, text) if text else BLANK


def number_cell(number: Decimal) -> Cell:
    """Return the cell that holds a number."""
    return Cell("number", number, f"{number:f}")


def date_cell(day: date) -> Cell:
    """Return the cell that holds a date."""
    return Cell("date", day, day.isoformat())


def broken_cell(text: str, code: str, message: str) -> Cell:
    """Return a cell whose content cannot be used."""
    return Cell("broken", None, text, Fault(code, message))


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name (None in a CSV file) and its rows from the first on, blank ones too.

    `is_1904` says from which day serial numbers count, None if unknown (CSV). `separator` is what
    separates the cells of a CSV file. `hidden_rows` are counted from 1 and `hidden_columns` from
    0, no matter how they came to be hidden.
    """

    name: str | None
    rows: Sequence[Sequence[Cell]]
    is_1904: bool | None = None
    separator: str | None = None
    is_hidden: bool = False
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()

    @property
    def is_comma_decimal(self) -> bool:
        """Whether a comma may be a decimal comma: such files separate cells with semicolons."""
        return self.separator == ";"

    @property
    def is_blank(self) -> bool:
        """Whether every cell is blank."""
        return all(cell.is_blank for row in self.rows for cell in row)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is: `row` from 1, `column` a letter; None means all of it."""

    sheet: str | None = None
    row: int | None = None
    column: str | None = None


@dataclass(frozen=True, slots=True)
class SheetMistake:
    """One located mistake in a sheet."""

    place: Place
    code: str
    message: str


class SheetRefused(MahjicError):
    """A score sheet breaks rules; the error lists every mistake found, each with its place."""

    code = "invalid_sheet"
    title = "The score sheet has mistakes"
    status = 422

    def __init__(self, mistakes: Iterable[SheetMistake]) -> None:
        self.mistakes = told_mistakes(mistakes, SheetMistake(Place(), MORE_MISTAKES, MORE_WORDS))
        assert self.mistakes, "A refusal names at least one mistake."
        super().__init__(
            _detail(self.mistakes),
            extra={"errors": [_told(each) for each in self.mistakes]},
        )


def refused(code: str, message: str, place: Place | None = None) -> SheetRefused:
    """Return the refusal of a whole file for one reason."""
    return SheetRefused([SheetMistake(place or Place(), code, message)])


def letters(column: int) -> str:
    """Return the letters of a column, counted from 0: A, B, ... Z, AA."""
    name, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, _LETTERS)
        name = chr(ord("A") + letter) + name
    return name


def _detail(mistakes: Sequence[SheetMistake]) -> str:
    first = mistakes[0]
    if len(mistakes) == 1 and first.place.row is None:
        return f"{first.message} Nothing was recorded."
    return (
        f"{number_of_mistakes(mistakes)} found; nothing was recorded. Correct what `errors` "
        "lists, and send the sheet again."
    )


def _told(mistake: SheetMistake) -> dict[str, Any]:
    place = mistake.place
    return {
        "sheet": place.sheet,
        "row": place.row,
        "column": place.column,
        "code": mistake.code,
        "message": mistake.message,
    }
