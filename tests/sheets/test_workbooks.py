"""What is read of a workbook, what is refused, and that no file takes long or much memory."""

import io
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import openpyxl
import pytest
import python_calamine
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from shared.sheets.cells import Sheet, text_cell
from shared.sheets.opening import open_workbook
from shared.sheets.writing import xlsx_bytes
from tests.sheets.books import BOOK, NIGHT, SHEET, cells, only
from tests.sheets.sheets import (
    FILES,
    changed,
    found,
    packed,
    parts_of,
    points_of,
    read,
    read_file,
    refusal,
    workbook,
)

WRITTEN = sorted(path.name for path in FILES.glob("*.xlsx") if path.name != "password.xlsx")


@pytest.mark.parametrize("name", WRITTEN)
def test_every_cell_reads_as_another_reader_reads_it(name: str) -> None:
    # python-calamine shares no code with openpyxl, which is what reads here.
    content = (FILES / name).read_bytes()
    other = python_calamine.CalamineWorkbook.from_filelike(io.BytesIO(content))
    sheets = open_workbook(content)
    assert [sheet.name for sheet in sheets] == other.sheet_names
    for sheet in sheets:
        assert sheet.name is not None
        read_here = values(sheet)
        cells_there = other.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
        read_there = {
            (row, column): as_stored(value)
            for row, each in enumerate(cells_there, start=1)
            for column, value in enumerate(each, start=1)
            if value != ""
        }
        broken = {where for where, value in read_here.items() if value is None}
        assert read_here == read_there | dict.fromkeys(broken)


def values(sheet: Sheet) -> dict[tuple[int, int], Any]:
    return {
        (row, column): cell.value
        for row, each in enumerate(sheet.rows, start=1)
        for column, cell in enumerate(each, start=1)
        if cell.kind != "blank"
    }


def as_stored(value: object) -> object:
    if isinstance(value, datetime):
        return value.date()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Decimal(str(value)).normalize() if is_number else value


def test_formulas_count_as_their_stored_values_and_without_one_they_are_mistakes() -> None:
    computed = read_file("libreoffice.xlsx")
    assert computed.located() == []
    assert points_of(computed) == [125, 80, 45, -250]
    codes = [(6, "C", "formula_without_value"), (8, "B", "formula_without_value")]
    assert found(read_file("openpyxl-formulas.xlsx")) == codes


def test_a_stored_value_that_was_to_be_computed_on_opening_is_none() -> None:
    # XlsxWriter stores 0 with every formula, and asks for computing.
    parts = parts_of((FILES / "xlsxwriter-formulas.xlsx").read_bytes())
    assert b"<f>100+25</f><v>0</v>" in parts[SHEET]
    assert found(read_file("xlsxwriter-formulas.xlsx")) == [(6, "C", "formula_without_value")]


def test_errors_truths_and_percentages_are_mistakes_where_a_number_is_required() -> None:
    codes = [(6, "C", "error_in_cell"), (8, "C", "wrong_type"), (9, "C", "wrong_type")]
    assert found(read_file("libreoffice-errors.xlsx")) == codes


@pytest.mark.parametrize("formula", ["[1]Sheet1!$A$1", "'[12]A ''b'!A1+1", "SUM([3]!Points)"])
def test_a_value_from_another_file_is_a_mistake_although_it_is_stored(formula: str) -> None:
    cell = '<c r="B5" t="n"><v>2</v></c>'
    linked = f'<c r="B5" t="n"><f>{formula}</f><v>2</v></c>'
    content = changed(without_computing(workbook(*NIGHT)), SHEET, cell, linked)
    assert found(read(content)) == [(5, "B", "external_link")]


def test_a_formula_shared_with_one_that_reaches_elsewhere_is_a_mistake_too() -> None:
    content = without_computing(workbook(*NIGHT))
    first = '<f t="shared" ref="B5:B6" si="0">[1]S!A1</f>'
    content = changed(content, SHEET, '<c r="B5" t="n">', f'<c r="B5" t="n">{first}')
    second = '<f t="shared" si="0"/>'
    content = changed(content, SHEET, '<c r="B6" t="n">', f'<c r="B6" t="n">{second}')
    assert found(read(content)) == [(5, "B", "external_link"), (6, "B", "external_link")]


def test_a_formula_over_a_table_of_the_same_file_is_none_from_elsewhere() -> None:
    linked = '<c r="B5" t="n"><f>SUM(Table1[2026],Sheet2!A1,T[[#This Row],[7]])</f><v>2</v></c>'
    content = without_computing(workbook(*NIGHT))
    sheet = read(changed(content, SHEET, '<c r="B5" t="n"><v>2</v></c>', linked))
    assert sheet.located() == []


def test_a_link_in_a_formula_for_several_cells_at_once_is_a_mistake_too() -> None:
    content = without_computing(workbook(*NIGHT))
    linked = '<c r="B5" t="n"><f t="array" ref="B5">SUM([1]S!A1:A2)</f><v>2</v></c>'
    sheet = read(changed(content, SHEET, '<c r="B5" t="n"><v>2</v></c>', linked))
    assert found(sheet) == [(5, "B", "external_link")]


@pytest.mark.parametrize(
    ("stored", "kind"),
    [
        ('t="str"><f>A1</f><v></v>', "blank"),
        ('t="str"><f>A1</f><v>two</v>', "text"),
        ("><f>A1</f><v>0</v>", "number"),
        ("><f>A1</f><v/>", "broken"),
        ("><f>A1</f>", "broken"),
        ('t="n"><f>A1</f>', "broken"),
        ('t="e"><f>A1</f><v>#REF!</v>', "broken"),
        ('t="e"><v>#REF!</v>', "broken"),
        ('t="b"><v>1</v>', "broken"),
        (">", None),
    ],
)
def test_a_formula_is_blank_only_when_an_empty_text_is_stored(
    stored: str, kind: str | None
) -> None:
    content = without_computing(workbook(["a", 1, "z"]))
    cell = f'<c r="B1" {stored}</c>'
    (row,) = cells(changed(content, SHEET, '<c r="B1" t="n"><v>1</v></c>', cell))
    assert row[1].kind == (kind or "blank")
    assert row[2].text == "z"


@pytest.mark.parametrize(
    ("told", "is_read"),
    [
        ("", True),
        ('<calcPr calcId="191029"/>', True),
        ('<calcPr calcId="191029" fullCalcOnLoad="0"/>', True),
        ("<calcPr calcId='191029' fullCalcOnLoad = 'true' />", False),
    ],
)
def test_only_a_file_that_asks_for_computing_has_no_values(told: str, is_read: bool) -> None:
    content = without_computing(workbook(["a", 1]))
    before = '<calcPr calcId="124519"  />'
    content = changed(content, SHEET, "<v>1</v>", "<f>1</f><v>1</v>")
    ((_, cell),) = cells(changed(content, BOOK, before, told))
    assert (cell.kind == "number") == is_read


def without_computing(content: bytes) -> bytes:
    """Return a workbook of openpyxl as one whose values are computed."""
    return changed(content, BOOK, 'fullCalcOnLoad="1"', "")


def test_numbers_count_as_far_as_a_spreadsheet_shows_them_and_not_their_binary_noise() -> None:
    rows: list[list[object]] = [
        *NIGHT[:4],
        ["a@x.example", 2, 0.1 + 0.2],
        ["b@x.example", 2, 1.005],
    ]
    sheet = read(workbook(*rows))
    assert found(sheet) == [(6, "C", "points_too_precise")]
    assert points_of(sheet)[0] == 0.3


def test_a_number_stored_as_text_reads_as_the_text_that_it_shows() -> None:
    sheet = read(workbook(*NIGHT[:4], ["a@x.example", "2", "1,250"], ["b@x.example", 2, "(1,250)"]))
    assert sheet.located() == []
    assert points_of(sheet) == [1250, -1250]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("General", "number"),
        ("0.00", "number"),
        ("#,##0.00;[Red](#,##0.00)", "number"),
        ('0 "days"', "number"),
        ("[$$-409]#,##0.00", "number"),
        ("_($* #,##0.00_);_($* (#,##0.00);_(@_)", "number"),
        ("0\\d", "number"),
        ("@", "number"),
        ("yyyy-mm-dd", "date"),
        ("m/d/yy h:mm", "date"),
        ("[$-409]d-mmm-yy;@", "date"),
        ("mmmm", "date"),
        ("h:mm:ss", "broken"),
        ("[h]:mm", "broken"),
        ("mm:ss.0", "broken"),
        ("0.0%", "broken"),
    ],
)
def test_the_format_of_a_cell_tells_dates_from_numbers(code: str, kind: str) -> None:
    cell = only(workbook([46053], formats={"A1": code}))
    assert cell.kind == kind
    assert kind != "date" or cell.value == date(2026, 1, 31)


@pytest.mark.parametrize(
    ("serial", "epoch", "day"),
    [
        (46053, None, date(2026, 1, 31)),
        (46053.8125, None, date(2026, 1, 31)),
        (44591, CALENDAR_MAC_1904, date(2026, 1, 31)),
        (61, None, date(1900, 3, 1)),
        # The 1900 calendar has a day that never was; around it nobody knows which is meant.
        (60, None, None),
        (0.5, None, None),
        (-1, None, None),
        (46052.999999, None, None),
        (99999999, None, None),
    ],
)
def test_a_date_cell_is_a_day_or_broken(serial: float, epoch: Any, day: date | None) -> None:
    cell = only(workbook([serial], formats={"A1": "yyyy-mm-dd"}, epoch=epoch))
    assert cell.value == day
    assert cell.kind == ("broken" if day is None else "date")


def test_a_date_may_be_stored_as_text_of_the_standard() -> None:
    book = workbook([1])
    cell = '<c r="A1" t="n"><v>1</v></c>'
    dated = changed(book, SHEET, cell, '<c r="A1" t="d"><v>2026-01-31T00:00:00</v></c>')
    assert only(dated).value == date(2026, 1, 31)
    assert only(changed(book, SHEET, cell, '<c t="d"><v>T12:00</v></c>')).kind == "broken"


def test_rows_out_of_order_are_refused_and_none_of_them_is_dropped() -> None:
    parts = parts_of(workbook(["a"], ["b"]))
    begin, _, rest = parts[SHEET].partition(b'<row r="1"')
    first, _, rest = rest.partition(b"</row>")
    second, _, end = rest.partition(b"</row>")
    turned = begin + second + b'</row><row r="1"' + first + b"</row>" + end
    mistake = refusal(packed({**parts, SHEET: turned}))
    assert mistake.code == "damaged_file"
    assert "row 1 comes after row 2" in mistake.message


def test_cells_out_of_order_are_refused_and_none_of_them_is_dropped() -> None:
    parts = parts_of(workbook(["a", "b"]))
    parts[SHEET] = parts[SHEET].replace(b'r="A1"', b'r="C1"')
    mistake = refusal(packed(parts))
    assert mistake.code == "damaged_file"
    assert "cells of row 1 are not in order" in mistake.message


def test_rows_and_cells_that_do_not_say_where_they_stand_follow_each_other() -> None:
    parts = parts_of(workbook(["a", "b"], ["c"]))
    for told in (b' r="1"', b' r="2"', b' r="A1"', b' r="B1"', b' r="A2"'):
        assert told in parts[SHEET]
        parts[SHEET] = parts[SHEET].replace(told, b"")
    texts = [[cell.text for cell in row] for row in cells(packed(parts))]
    assert texts == [["a", "b"], ["c"]]


@pytest.mark.parametrize("told", ["A1", "A1:A1", "B7:C9", "A1:XFD1048576", ""])
def test_what_a_sheet_says_of_its_size_hides_no_cell_and_makes_none(told: str) -> None:
    content = workbook(*NIGHT)
    true, lie = '<dimension ref="A1:C6" />', f'<dimension ref="{told}"/>' if told else ""
    assert cells(changed(content, SHEET, true, lie)) == cells(content)


def test_blank_cells_with_a_format_far_below_and_far_to_the_right_are_no_cells() -> None:
    far = '<row r="100000"><c r="XFD100000" s="0"/></row></sheetData>'
    content = workbook(*NIGHT)
    assert cells(changed(content, SHEET, "</sheetData>", far)) == cells(content)


def test_texts_in_runs_and_in_the_cell_itself_are_whole_and_reading_aids_are_none() -> None:
    aid = '<rPh sb="0" eb="1"><t>no</t></rPh>'
    inside = f"<is><r><t>mah</t></r><r><t>jong_x0041_</t></r>{aid}</is>"
    book = changed(
        workbook([1]),
        SHEET,
        '<c r="A1" t="n"><v>1</v></c>',
        f'<c r="A1" t="inlineStr">{inside}</c>',
    )
    assert only(book).value == "mahjongA"


@pytest.mark.parametrize(
    ("content", "part"),
    [(workbook(["?"]), SHEET), (xlsx_bytes([[text_cell("?")]]), "xl/sharedStrings.xml")],
)
def test_characters_that_xml_cannot_hold_and_what_looks_like_them_are_told_apart(
    content: bytes, part: str
) -> None:
    stored = changed(content, part, "<t>?</t>", "<t>a_x000D_b_x005F_x0041_c_xD800_</t>")
    assert only(stored).text == "a\rb_x0041_c_xD800_"


def test_hidden_blank_and_instruction_sheets_are_no_sessions_unless_named() -> None:
    book = openpyxl.load_workbook(io.BytesIO(workbook(*NIGHT)))
    for name, state in (("Lists", "hidden"), ("How to", "visible"), ("Sheet3", "visible")):
        more = book.create_sheet(name)
        more.sheet_state = state
        if name != "Sheet3":
            more["A1"] = "Something"
    assert read(saved(book)).located() == []
    assert found(read(saved(book), sheet_name=" lists ")) == [(None, None, "not_a_sheet")]
    book["Sheet3"]["A1"] = "x"
    mistake = refusal(saved(book))
    assert mistake.code == "several_sheets"
    assert '"Night", "Sheet3"' in mistake.message
    assert read(saved(book), sheet_name="night").located() == []


def saved(book: openpyxl.Workbook) -> bytes:
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def test_the_strict_form_of_the_format_is_read_like_the_usual_one() -> None:
    usual = "http://schemas.openxmlformats.org/"
    parts = {
        name: part.replace(
            f"{usual}spreadsheetml/2006/main".encode(),
            b"http://purl.oclc.org/ooxml/spreadsheetml/main",
        ).replace(
            f"{usual}officeDocument/2006/relationships".encode(),
            b"http://purl.oclc.org/ooxml/officeDocument/relationships",
        )
        for name, part in parts_of(workbook(*NIGHT)).items()
    }
    assert b"purl.oclc.org" in parts[SHEET]
    assert read(packed(parts)).located() == []
