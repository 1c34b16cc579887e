"""Cells that were kept as plain values are the cells of the file again."""

import json
from collections.abc import Sequence

import pytest

from shared.sheets.cells import Cell, Sheet, SheetRefused, text_cell
from shared.sheets.drawn import as_drawn, from_drawn
from shared.sheets.opening import open_workbook
from shared.sheets.reading import ScoreSheet, read_score_sheet
from tests.sheets.sheets import FILES, night


def kept(sheets: Sequence[Sheet]) -> list[Sheet]:
    return from_drawn(json.loads(json.dumps(as_drawn(sheets))))


def opened(name: str) -> Sequence[Sheet]:
    try:
        return open_workbook((FILES / name).read_bytes())
    except SheetRefused:
        return []


def cells(sheet: Sheet) -> list[list[Cell]]:
    """Return the cells of a sheet without the blank ones at the end of each row."""
    rows = [list(row) for row in sheet.rows]
    for row in rows:
        while row and row[-1].kind == "blank":
            row.pop()
    return rows


def test_each_kept_file_reads_as_it_did_cell_by_cell() -> None:
    names = sorted(each.name for each in FILES.iterdir() if each.suffix != ".md")
    kinds = set()
    for sheets in filter(None, map(opened, names)):
        again = kept(sheets)
        for before, after in zip(sheets, again, strict=True):
            assert cells(after) == cells(before)
            assert after.is_comma_decimal == before.is_comma_decimal
            assert (after.name, after.is_1904) == (before.name, before.is_1904)
            assert after.hidden_rows == before.hidden_rows
            kinds |= {cell.kind for row in before.rows for cell in row}
        assert read(again) == read(sheets)
    # So no kind of cell went untried.
    assert kinds == {"blank", "text", "number", "date", "broken"}


def read(sheets: Sequence[Sheet]) -> ScoreSheet | list[str]:
    try:
        return read_score_sheet(sheets)
    except SheetRefused as refused:
        return [each.code for each in refused.mistakes]


def test_what_is_hidden_is_still_hidden() -> None:
    (sheet,) = open_workbook(night("a@x.example,2,50", "b@x.example,2,-50"))
    hiding = Sheet(None, sheet.rows, hidden_rows=frozenset({5}), hidden_columns=frozenset({1}))
    (again,) = kept([hiding])
    assert again.hidden_rows == {5}
    assert again.hidden_columns == {1}
    assert {each.code for each in read_score_sheet([again]).mistakes} == {
        "hidden_rows",
        "hidden_columns",
    }


@pytest.mark.parametrize("odd", ["\x00", "\x07", "\ufffe", "\ud800"])
def test_a_character_that_nothing_can_keep_is_a_mistake_where_it_counts(odd: str) -> None:
    (sheet,) = open_workbook(night("a@x.example,2,50", "b@x.example,2,-50"))
    rows = [list(row) for row in sheet.rows]
    rows[4][0] = text_cell(f"a{odd}@x.example")
    (again,) = kept([Sheet(None, rows)])
    text = again.rows[4][0].text
    assert text == "a\ufffd@x.example"
    located = read_score_sheet([again]).located()
    assert ("forbidden_character", 5, "A") in [
        (each.code, each.place.row, each.place.column) for each in located
    ]
