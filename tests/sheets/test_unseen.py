"""What people do not see who look at a sheet is a mistake, and never counts by itself."""

import csv
import io
import itertools
from collections.abc import Callable
from typing import Any, Literal

import openpyxl
import pytest
import xlsxwriter

from shared.sheets.limits import Limits
from shared.sheets.opening import open_workbook
from shared.sheets.template import template_csv, template_xlsx
from tests.sheets.sheets import (
    FIELD,
    FILES,
    changed,
    found,
    lines,
    night,
    read,
    refusal,
    workbook,
)

SHEET = "xl/worksheets/sheet1.xml"
ROWS: list[list[object]] = [
    ["Date: 2026-01-31"],
    ["Game Type: Social"],
    ["ROUND 1 | Games Played: 4 | Wall Games: 0"],
    ["Player Email", "Mahjongs", "Notes"],
    ["a@x.example", 2, "on time"],
    ["b@x.example", 2],
    ["ROUND 2 | Games Played: 1 | Wall Games: 0"],
    ["a@x.example", 1],
    ["b@x.example", 0],
]
ROUND_2 = (6, 9)
HIDDEN_ROUND = [(7, None, "hidden_rows")]
HIDDEN_NOTES = [(None, "C", "hidden_columns")]
PLAYERS = ("a@x.example,2,5", "b@x.example,2,-5")


def by_openpyxl(hide: Callable[[Any], None]) -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(workbook(*ROWS)))
    hide(book.worksheets[0])
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def by_xlsxwriter(hide: Callable[[Any], None]) -> bytes:
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True})
    sheet = book.add_worksheet("Night")
    hide(sheet)
    for number, row in enumerate(ROWS):
        sheet.write_row(number, 0, row)
    book.close()
    return content.getvalue()


def each_row(sheet: Any, **told: object) -> None:
    height = told.pop("height", None)
    for row in range(*ROUND_2):
        sheet.set_row(row, height, None, told)


def filtered(sheet: Any) -> None:
    sheet.autofilter("A4:C9")
    sheet.filter_column("A", "x == a@x.example")
    each_row(sheet, hidden=True)


def by_hand(sheet: Any) -> None:
    for row in range(7, 10):
        sheet.row_dimensions[row].hidden = True


def low(sheet: Any) -> None:
    for row in range(7, 10):
        sheet.row_dimensions[row].height = 0.75


def unused(sheet: Any) -> None:
    sheet.set_default_row(hide_unused_rows=True)
    each_row(sheet, hidden=True)


ROWS_HIDDEN: dict[str, bytes] = {
    "by hand": by_openpyxl(by_hand),
    "a group": by_openpyxl(lambda sheet: sheet.row_dimensions.group(7, 9, hidden=True)),
    "no height to speak of": by_openpyxl(low),
    "by hand, XlsxWriter": by_xlsxwriter(lambda sheet: each_row(sheet, hidden=True)),
    "a filter": by_xlsxwriter(filtered),
    "a group, XlsxWriter": by_xlsxwriter(lambda sheet: each_row(sheet, level=1, hidden=True)),
    "height 0": by_xlsxwriter(lambda sheet: each_row(sheet, height=0)),
    "rows that nobody uses": by_xlsxwriter(unused),
}


@pytest.mark.parametrize("kind", ROWS_HIDDEN)
def test_case_207_a_round_in_hidden_rows_is_a_mistake_however_it_was_hidden(kind: str) -> None:
    sheet = read(ROWS_HIDDEN[kind])
    assert found(sheet) == HIDDEN_ROUND
    (mistake,) = sheet.located()
    assert mistake.message.startswith("Rows 7 to 9 are hidden. ")


COLUMN_HIDDEN: dict[str, bytes] = {
    "by hand": by_openpyxl(lambda sheet: setattr(sheet.column_dimensions["C"], "hidden", True)),
    "a group": by_openpyxl(lambda sheet: sheet.column_dimensions.group("C", "F", hidden=True)),
    "no width to speak of": by_openpyxl(
        lambda sheet: setattr(sheet.column_dimensions["C"], "width", 0.1)
    ),
    "width 0": by_xlsxwriter(lambda sheet: sheet.set_column(2, 2, 0)),
    "by hand, XlsxWriter": by_xlsxwriter(
        lambda sheet: sheet.set_column(2, 16_383, None, None, {"hidden": True})
    ),
    "a group, XlsxWriter": by_xlsxwriter(
        lambda sheet: sheet.set_column(2, 3, None, None, {"level": 1, "hidden": True})
    ),
}


@pytest.mark.parametrize("kind", COLUMN_HIDDEN)
def test_a_hidden_column_that_holds_something_is_a_mistake_as_well(kind: str) -> None:
    assert found(read(COLUMN_HIDDEN[kind])) == HIDDEN_NOTES


def test_rows_and_columns_that_are_low_and_narrow_by_default_are_hidden() -> None:
    low = changed(workbook(*ROWS), SHEET, 'defaultRowHeight="15"', 'defaultRowHeight="0"')
    assert found(read(low)) == [(1, None, "hidden_rows")]
    narrow = changed(workbook(*ROWS), SHEET, 'baseColWidth="8"', 'defaultColWidth="0"')
    assert found(read(narrow)) == [(None, "A", "hidden_columns")]
    (mistake,) = read(narrow).located()
    assert mistake.message.startswith("Columns A to C are hidden.")


def test_a_workbook_of_libreoffice_says_what_is_hidden_in_its_own_words() -> None:
    content = (FILES / "libreoffice.xlsx").read_bytes()
    assert found(read(content)) == []
    (sheet,) = (each for each in open_workbook(content) if not each.is_blank)
    rows = [number for number, row in enumerate(sheet.rows, start=1) if row]
    hidden = changed(content, SHEET, 'hidden="false"', 'hidden="true"')
    assert {code for _, _, code in found(read(hidden))} == {"hidden_rows"}
    assert {row for row, _, _ in found(read(hidden))} <= set(rows)
    columns = '<cols><col collapsed="false" hidden="true" outlineLevel="0" max="4" min="4"/></cols>'
    narrow = changed(content, SHEET, "<sheetData>", columns + "<sheetData>")
    assert found(read(narrow)) == [(None, "D", "hidden_columns")]


def test_what_is_hidden_and_blank_or_only_folded_open_is_no_mistake() -> None:
    def hide(sheet: Any) -> None:
        each_row(sheet, level=1)
        sheet.set_row(20, None, None, {"hidden": True})
        sheet.set_column(7, 7, 0)
        sheet.set_column(1, 1, 12, None, {"level": 1})

    assert found(read(by_xlsxwriter(hide))) == []


def test_hidden_rows_are_told_run_by_run() -> None:
    def hide(sheet: Any) -> None:
        for row in (5, 8, 9):
            sheet.row_dimensions[row].hidden = True

    sheet = read(by_openpyxl(hide))
    assert found(sheet) == [(5, None, "hidden_rows"), (8, None, "hidden_rows")]
    assert "Row 5 is hidden." in sheet.located()[0].message


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_rounds_on_a_hidden_sheet_are_refused_unless_a_sheet_is_named(
    state: Literal["hidden", "veryHidden"],
) -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(*ROWS)))
    other = book.copy_worksheet(book.worksheets[0])
    other.title, other.sheet_state = "Second half", state
    content = io.BytesIO()
    book.save(content)
    mistake = refusal(content.getvalue())
    assert (mistake.code, '"Second half"' in mistake.message) == ("hidden_sheet", True)
    assert found(read(content.getvalue(), sheet_name="Night")) == []
    assert found(read(content.getvalue(), sheet_name="second half")) == []


def test_columns_without_end_cost_no_more_than_columns() -> None:
    many = '<cols><col min="1" max="999999999" width="0"/></cols><sheetData>'
    sheets = open_workbook(changed(workbook(*ROWS), SHEET, "<sheetData>", many))
    assert len(sheets[0].hidden_columns) == Limits().columns_max


HEAD = ("Date: 2026-01-31", "Game Type: Social", "ROUND 1 | Games Played: 4 | Wall Games: 0")
NOTED = "Player Email,Mahjongs,Notes"


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_case_208_a_note_that_swallows_a_round_is_a_mistake_in_its_cell(separator: str) -> None:
    rows = ["a@x.example,2,", 'b@x.example,2,"a slip', "", "ROUND 2 | Games Played: 1 | Wall: 0"]
    rows += [NOTED, "a@x.example,1,", 'b@x.example,0,the end"']
    content = lines(*HEAD, *(row.replace(",", separator) for row in (NOTED, *rows)))
    sheet = read(content)
    assert found(sheet) == [(6, "C", "lines_in_a_cell")]
    assert "ROUND 2" in sheet.located()[0].message


def test_a_note_that_swallows_a_player_is_a_mistake_too() -> None:
    rows = ['a@x.example,2,"late', "c@x.example,1,", 'd@x.example,1,"', "b@x.example,2,"]
    assert (5, "C", "lines_in_a_cell") in found(read(lines(*HEAD, NOTED, *rows)))


def test_a_title_that_swallows_what_stands_below_is_a_mistake() -> None:
    rows = ['"Club', "ROUND 1 | Games Played: 1 | Wall Games: 0", 'night"', *HEAD, NOTED]
    content = lines(*rows, "a@x.example,2,", "b@x.example,2,")
    assert found(read(content)) == [(1, "A", "lines_in_a_cell")]


def test_a_quote_that_is_closed_far_below_is_named_and_not_the_length_of_its_cell() -> None:
    rows = ['a@x.example,2,"late', *["and so on and on"] * 200, '"', "b@x.example,2,"]
    mistake = refusal(lines(*HEAD, NOTED, *rows))
    assert (mistake.code, mistake.place.row) == ("lines_in_a_cell", 5)


@pytest.mark.parametrize(
    "note", ["late\nRound two was fun", "thanks to\nb@x.example", "line\nline, 2\n", "1,250\n-50"]
)
def test_notes_and_names_of_several_lines_do_no_harm(note: str) -> None:
    text = io.StringIO()
    rows = [["a@x.example", "2", f"so: {note}"], ["b@x.example", "2", "x"]]
    csv.writer(text).writerows([*([row] for row in HEAD), NOTED.split(","), *rows])
    assert found(read(text.getvalue().encode())) == []


def warned(content: bytes) -> list[tuple[str, str, int | None]]:
    sheet = read(content)
    assert sheet.located() == []
    return [(each.code, each.pointer, sheet.place_of(each.pointer).row) for each in sheet.warnings]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ((1, 2, 3), []),
        ((1, 1, 2, 2), []),
        ((1, 3), [("round_missing", "/rounds/1", 7)]),
        ((2, 3), [("round_missing", "/rounds/0", 3)]),
        ((1, 4, 9), [("round_missing", "/rounds/1", 7), ("round_missing", "/rounds/2", 11)]),
    ],
)
def test_gaps_in_the_numbers_of_rounds_are_told(
    numbers: tuple[int, ...], expected: list[tuple[str, str, int]]
) -> None:
    people = (f"p{number}@x.example" for number in itertools.count())
    rows = ["Date: 2026-01-31", "Game Type: Social"]
    for number in numbers:
        rows += [f"ROUND {number} | Games Played: 1 | Wall Games: 0", "Player,Mahjongs"]
        rows += [f"{next(people)},1", f"{next(people)},0"]
    assert warned(lines(*rows)) == expected


def test_rounds_without_numbers_have_no_gaps() -> None:
    rows = ["ROUND | Games: 1 | Walls: 0", "c@x.example,1,1", "d@x.example,0,-1"]
    assert warned(night(*PLAYERS, *rows)) == []


@pytest.mark.parametrize("content", [template_csv(), template_xlsx()])
def test_the_rows_of_the_example_are_refused_as_they_stand_in_the_template(content: bytes) -> None:
    sheet = read(content)
    assert [(row, code) for row, _, code in found(sheet)] == [
        (row, "example_row") for row in (6, 7, 8, 9, 13, 14, 15, 16)
    ]
    assert sheet.warnings == ()


def test_one_row_that_was_left_in_is_told_and_those_written_over_are_not() -> None:
    text = template_csv().decode("utf-8-sig")
    mine = text.replace("@example.com", "@x.example")
    assert found(read(mine.encode())) == []
    left = mine.replace("dave@x.example", "dave@example.com")
    assert found(read(left.encode())) == [(9, None, "example_row")]
    # The same person with a result of their own is somebody who tries things out.
    assert found(read(text.replace(",0,-", ",0,-1").encode()))[0][0] == 6
    assert FIELD["rounds"][0]["players"][0]["email"] == "alice@example.com"


def test_points_of_the_template_cause_no_warning() -> None:
    for played in template_rounds():
        assert sum(seat["points"] for seat in played["players"]) == 0


def template_rounds() -> list[dict[str, Any]]:
    rounds: list[dict[str, Any]] = read(template_csv()).claim["rounds"]
    return rounds


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("ROUND 1 | Date: 2026-02-01 | Games Played: 4 | Wall Games: 0", "A"),
        ("ROUND 1 | Game Type: Social | Games Played: 4 | Wall Games: 0", "A"),
        ("ROUND 1,Games Played: 4,Wall Games: 0,Date:,2026-02-01", "E"),
        ("ROUND 1,Games Played: 4,Wall Games: 0,Type: Tournament", "D"),
    ],
)
def test_the_line_of_a_round_that_contradicts_the_top_is_a_mistake(line: str, column: str) -> None:
    assert found(read(night(*PLAYERS, line=line))) == [(3, column, "contradiction")]


def test_the_line_of_a_round_may_say_what_the_top_says_or_what_it_lacks() -> None:
    line = "ROUND 1 | Date: 31.1.2026 | Game Type: league | Games Played: 4 | Wall Games: 0"
    assert found(read(night(*PLAYERS, line=line))) == []
    alone = lines(line, "Player Email,Mahjongs,Points", *PLAYERS)
    assert (found(read(alone)), read(alone).claim["session_date"]) == ([], "2026-01-31")
    other = line.replace("31.1.", "1/2/")
    assert found(read(lines(other, NOTED, "a@x.example,4,", "b@x.example,0,"))) == [
        (1, "A", "ambiguous_date"),
        (2, None, "heading_missing"),
    ]


def test_case_204_a_stand_in_and_a_spare_person_are_told_of_two_rounds() -> None:
    five = [f"{name}@x.example,0,0" for name in "cde"]
    (mistake,) = read(night(*PLAYERS, *five)).located()
    assert (mistake.code, "write two rounds" in mistake.message) == ("too_many_players", True)
    (mistake,) = read(night(*PLAYERS, "c@x.example,,0")).located()
    assert (mistake.place.row, mistake.place.column) == (7, "B")
    assert "should have no row in it" in mistake.message
    assert "two rounds" in mistake.message


@pytest.mark.parametrize(
    "rows",
    [
        ["Date,E,F", "2026-01-02,3,4"],
        ["Invoice,12", "Date: E", "Total,40"],
        ["Name,Points", "Al,3", "Bo,4"],
        ["something else altogether"],
    ],
)
def test_case_209_a_sheet_of_another_kind_is_named_as_one(rows: list[str]) -> None:
    sheet = read(lines(*rows))
    assert found(sheet) == [(None, None, "not_a_sheet")]
    assert "not a score sheet" in sheet.located()[0].message


def test_case_212_the_line_of_a_round_and_a_date_without_a_stored_value_are_named() -> None:
    rows: list[list[object]] = [['="Date: "&"2026-01-31"'], *ROWS[1:6], ['="ROUND "&2'], *ROWS[7:]]
    assert found(read(workbook(*rows))) == [
        (None, None, "date_missing"),
        (1, "A", "formula_without_value"),
        (7, "A", "formula_without_value"),
    ]
    first: list[list[object]] = [*ROWS[:2], ['="ROUND "&1'], *ROWS[3:6]]
    assert (3, "A", "formula_without_value") in found(read(workbook(*first)))
    title: list[list[object]] = [['="League of "&"Ohio"'], *ROWS]
    assert found(read(workbook(*title))) == []


@pytest.mark.parametrize("at", [0, 1, 2])
def test_case_212_each_cell_of_the_line_of_a_round_without_a_stored_value_is_named(at: int) -> None:
    line: list[object] = ["ROUND 1", "Games Played: 4", "Wall Games: 0"]
    line[at] = f'="{line[at]}"&""'
    later: list[list[object]] = [*ROWS[:6], line, ["a@x.example", 3], ["b@x.example", 1]]
    assert (7, "ABC"[at], "formula_without_value") in found(read(workbook(*later)))
    sheet = read(workbook(*ROWS[:2], line, *ROWS[3:6]))
    assert (3, "ABC"[at], "formula_without_value") in found(sheet)
    # Nobody is told that a line is missing which stands there.
    assert not {code for _, _, code in found(sheet)} & {"no_rounds", "outside_round"}


def test_the_row_of_a_player_without_a_stored_address_begins_no_round() -> None:
    sheet = read(workbook(*ROWS[:4], ['="a@x"&".example"', 2, "Games: late"], *ROWS[5:6]))
    assert found(sheet) == [(5, "A", "formula_without_value")]


def test_case_212_a_number_among_the_notes_is_told_what_it_may_be() -> None:
    sheet = read(lines(*HEAD, NOTED, "a@x.example,2,5", "b@x.example,2,"))
    assert found(sheet) == [(5, "C", "stray_cell")]
    assert "heading" not in sheet.located()[0].message
    assert "add a word to it" in sheet.located()[0].message
