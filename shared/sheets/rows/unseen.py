"""Finds what people who look at the sheet do not see: hidden rows and columns, and rows within a
cell.

What counts and what people see must be the same. A hidden row may be meant to count, or not to
count; we do not guess, so anything hidden that holds something is a mistake.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from shared.sheets.cells import Cell, Sheet, letters, text_cell
from shared.sheets.draft import Draft
from shared.sheets.rows.lines import pieces_of, round_line
from shared.sheets.rows.numbers import looks_like_a_number

PLAYER: Final = re.compile(r"(?:private|anon)\s*:.*|[^\s@]+@[^\s@]+", re.IGNORECASE | re.DOTALL)
_SHOW: Final = "Unhide what should count, delete the rest, and send the sheet again."


def check_hidden(draft: Draft, sheet: Sheet) -> None:
    """Note hidden rows and columns that hold something; those in a row are one mistake."""
    rows = [row for row in sorted(sheet.hidden_rows) if _has_content(sheet, row)]
    for first, last in _runs(rows):
        which = f"Row {first} is" if first == last else f"Rows {first} to {last} are"
        what = (
            f"{which} hidden. What no one can see is not counted, and not skipped either. {_SHOW}"
        )
        draft.note("hidden_rows", what, first, None)
    filled = {column for row in sheet.rows for column, cell in enumerate(row) if not cell.is_blank}
    for first, last in _runs(sorted(sheet.hidden_columns & filled)):
        names = letters(first), letters(last)
        which = f"Column {names[0]} is" if first == last else f"Columns {' to '.join(names)} are"
        what = (
            f"{which} hidden. What no one can see is not counted, and not skipped either. {_SHOW}"
        )
        draft.note("hidden_columns", what, None, names[0])


def check_swallowed(draft: Draft, row: int, cells: Sequence[Cell], separator: str | None) -> None:
    """Note a cell of a CSV file that holds rows of the sheet: a quotation mark swallowed them."""
    if separator is None:
        return
    for column, cell in enumerate(cells):
        lines = cell.text.splitlines()[1:]
        held = [line for line in lines if _is_of_a_sheet(line, separator)]
        if held:
            draft.note(
                "lines_in_a_cell",
                f'This cell runs over {len(lines) + 1} lines, including "{held[0][:40]}". A '
                "quotation mark that opens here is closed further down. Delete it, or close it "
                "on its own line.",
                row,
                letters(column),
            )


def begins_a_round(sheet: Sheet) -> bool:
    """Return whether a sheet has the line of a round; helper sheets and word lists have none."""
    for cells in sheet.rows:
        filled = [piece for piece in pieces_of(cells) if not piece.cell.is_blank]
        if round_line(filled) is not None:
            return True
    return False


def _is_of_a_sheet(line: str, separator: str) -> bool:
    """Whether a line within a cell begins a round, or holds a player with a number."""
    parts = [text_cell(part.strip(' "')) for part in line.split(separator)]
    filled = [piece for piece in pieces_of(parts) if not piece.cell.is_blank]
    if round_line(filled) is not None:
        return True
    is_player = any(PLAYER.fullmatch(piece.cell.text.strip()) for piece in filled)
    return is_player and any(looks_like_a_number(piece.cell) for piece in filled)


def _has_content(sheet: Sheet, row: int) -> bool:
    return row <= len(sheet.rows) and any(not cell.is_blank for cell in sheet.rows[row - 1])


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last number of each unbroken run."""
    for _, group in groupby(enumerate(numbers), key=lambda each: each[1] - each[0]):
        run = [number for _, number in group]
        yield run[0], run[-1]
