"""Reads the row of one player under its headings, and notes whatever is wrong in it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.sheets.cells import BLANK, Cell, Fault
from shared.sheets.draft import Draft
from shared.sheets.rows.headings import Headings, Role
from shared.sheets.rows.lines import Piece
from shared.sheets.rows.numbers import looks_like_a_number, read_points, read_whole

_BREAKS: Final = re.compile(r"[\r\n]+")
_SPARE: Final = (
    " Someone who did not play in this round should have no row in it; if two people shared a "
    "seat, write two rounds, each with the games its players played together."
)


def read_seat(
    draft: Draft,
    row: int,
    pointer: str,
    headings: Headings,
    pieces: Sequence[Piece],
    *,
    is_comma_decimal: bool,
) -> dict[str, Any]:
    """Return a player's part of the claim at a pointer, without `games_played`."""
    draft.put(pointer, row)
    player: dict[str, Any] = {}
    for role, (column, cell) in _cells(draft, row, headings, pieces).items():
        where = f"{pointer}/{role}"
        draft.put(where, row, column)
        value = _value(role, cell, is_comma_decimal=is_comma_decimal)
        if isinstance(value, Fault):
            draft.note(value.code, value.message, row, column, where)
        elif value is not None:
            player[role] = value
    return player


def read_count(cell: Cell, what: str, *, is_comma_decimal: bool, hint: str = "") -> int | Fault:
    """Return how many there were of something, or what is wrong with the cell that says so.

    `hint` says what else a blank one may mean.
    """
    if cell.is_blank:
        return Fault("missing", f"Nothing says {what}. Write 0 for none.{hint}")
    return read_whole(cell, is_comma_decimal=is_comma_decimal)


def note_stray(draft: Draft, row: int, piece: Piece) -> None:
    """Note something that no one reads: a comma may have split it off from a number."""
    draft.note(
        "stray_cell",
        f'"{piece.cell.text.strip()[:40]}" is in a place where nothing belongs. If a comma '
        "split a number into two cells, write the number without the comma; otherwise delete "
        "it, or give its column the heading Notes.",
        row,
        piece.column,
    )


def _note_number(draft: Draft, row: int, piece: Piece) -> None:
    """Note a number in the notes, which no one reads: a comma may have split that off as well."""
    draft.note(
        "stray_cell",
        f'"{piece.cell.text.strip()[:40]}" is in the notes, which are not counted. If a comma '
        "split a number into two cells, write the number without the comma; if it is a note, "
        "add a word to it, like: table 5",
        row,
        piece.column,
    )


def _cells(
    draft: Draft, row: int, headings: Headings, pieces: Sequence[Piece]
) -> Mapping[Role, tuple[str, Cell]]:
    """Return the cell under each heading, with its column; note those that are under none."""
    cells: dict[Role, tuple[str, Cell]] = {
        role: (headings.columns[at], BLANK)
        for at, role in headings.roles.items()
        if role != "notes"
    }
    for piece in pieces:
        role = headings.roles.get(piece.at)
        if role == "notes":
            if looks_like_a_number(piece.cell):
                _note_number(draft, row, piece)
        elif role is not None:
            cells[role] = (piece.column, piece.cell)
        elif not piece.cell.is_blank and piece.at not in headings.columns:
            note_stray(draft, row, piece)
    return cells


def _value(role: Role, cell: Cell, *, is_comma_decimal: bool) -> str | int | float | Fault | None:
    """Return a cell's part of the claim, None if it may be blank and is."""
    if role == "mahjongs":
        what = "how many mahjongs the player had"
        return read_count(cell, what, is_comma_decimal=is_comma_decimal, hint=_SPARE)
    if cell.is_blank:
        return Fault("missing", "There is no player here.") if role == "email" else None
    if role == "points":
        return read_points(cell, is_comma_decimal=is_comma_decimal)
    if cell.fault is not None:
        return cell.fault
    if cell.kind == "text":
        # People break a long name into two lines; a name has none.
        lines = _BREAKS.split(cell.text) if role == "name" else [cell.text]
        return " ".join(line.strip() for line in lines).strip()
    noun = "an email address, PRIVATE: or ANON:" if role == "email" else "a name"
    return Fault("wrong_type", f"{cell.text} is where {noun} belongs.")
