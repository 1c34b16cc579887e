"""What is written is plain cells, the same for the same session, and nothing that computes."""

import csv
import io
from typing import Any

import openpyxl
import pytest

from shared.sheets.example import EXAMPLE
from shared.sheets.template import INSTRUCTIONS, template_csv, template_xlsx
from shared.sheets.writing import csv_bytes, sheet_rows, xlsx_bytes
from tests.sheets.sheets import FIELD_CSV, parts_of, read

FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x.example","y")', "'=1", "''@x"]
FORMULAS += ["=cmd|' /C calc'!A0", "\uff1d1+1"]


def claim(name: str) -> dict[str, Any]:
    seats = [
        {"email": f"{who}@x.example", "name": name, "games_played": 2, "mahjongs": 1, "points": -5}
        for who in ("a", "=b")
    ]
    return {
        "session_date": "2026-01-31",
        "game_type": "league",
        "rounds": [{"players": seats, "wall_games": 0, "ref": name}],
    }


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_csv_file_begins_like_a_formula_but_for_numbers(name: str) -> None:
    content = csv_bytes(sheet_rows(claim(name)))
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    texts = [cell for row in rows for cell in row if cell and cell != "-5"]
    assert not [text for text in texts if text[0] in "=+-@\t\r\uff1d"]
    assert read(content).claim == claim(name)


HIDDEN = ["x;=1+1", "x,=1+1", "x\t=1+1", "x;@SUM(A1),-1", 'x";=1+1', "x;'=1", "x;''=1", 'x;"=1+1']


@pytest.mark.parametrize("written", [",", ";"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("name", HIDDEN)
def test_no_name_hides_a_formula_behind_the_separator_of_another_country(
    name: str, separator: str, written: str
) -> None:
    seats = [
        {"email": f"ANON:{each}", "name": each, "games_played": 1, "mahjongs": won, "points": 1}
        for won, each in enumerate(("b", name))
    ]
    named = {**claim(name), "rounds": [{"players": seats, "wall_games": 0, "ref": name}]}
    content = csv_bytes(sheet_rows(named), separator=written)
    text = io.StringIO(content.decode("utf-8-sig"), newline="")
    cells = [cell for row in csv.reader(text, delimiter=separator) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-"))]
    assert read(content).claim == named


@pytest.mark.parametrize("name", FORMULAS)
def test_no_cell_of_a_workbook_is_a_formula_or_becomes_one_when_it_is_edited(name: str) -> None:
    content = xlsx_bytes(sheet_rows(claim(name)))
    (sheet,) = openpyxl.load_workbook(io.BytesIO(content)).worksheets
    cells = [cell for row in sheet.iter_rows() for cell in row if cell.value is not None]
    assert name in [cell.value for cell in cells]
    assert {cell.data_type for cell in cells} == {"s", "n"}
    assert all(cell.style_id and cell.quotePrefix for cell in cells if cell.data_type == "s")
    assert read(content).claim == claim(name)


def test_numbers_are_numbers_in_a_workbook() -> None:
    (sheet,) = openpyxl.load_workbook(io.BytesIO(xlsx_bytes(sheet_rows(claim("Al"))))).worksheets
    assert [cell.value for cell in sheet[6]] == ["a@x.example", 1, -5, "Al"]


def test_the_same_session_makes_the_same_file() -> None:
    assert template_xlsx() == template_xlsx()
    assert csv_bytes(sheet_rows(EXAMPLE)) == template_csv()
    assert b"2026-01-01T00:00:00Z" in parts_of(template_xlsx())["docProps/core.xml"]


def test_the_template_of_the_field_stands_in_the_csv_file_line_by_line() -> None:
    # The score sheet as the source documents show it, with commas for its columns.
    assert FIELD_CSV.decode("utf-8-sig").splitlines() == [
        "MAHJIC SCORE SHEET,,Date: 2026-01-31",
        "Game Type: League",
        "",
        "ROUND 1 | Games Played: 4 | Wall Games: 0",
        "Player Email,Mahjongs,Points",
        "alice@example.com,2,125",
        "bob@example.com,1,80",
        "carol@example.com,1,45",
        "dave@example.com,0,-50",
        "",
        "ROUND 2 | Games Played: 4 | Wall Games: 1",
        "Player Email,Mahjongs,Points",
        "alice@example.com,1,60",
        "eve@example.com,2,110",
        "frank@example.com,0,40",
        "george@example.com,0,-10",
    ]


def test_the_template_workbook_has_instructions_that_are_no_second_session() -> None:
    book = openpyxl.load_workbook(io.BytesIO(template_xlsx()))
    assert book.sheetnames == ["Score sheet", "Instructions"]
    assert [cell.value for cell in book["Instructions"]["A"]] == list(INSTRUCTIONS)


def test_columns_that_nobody_fills_are_left_out() -> None:
    social = claim("Al") | {"game_type": "social"}
    for seat in social["rounds"][0]["players"]:
        del seat["points"], seat["name"]
    content = csv_bytes(sheet_rows(social))
    assert b"Player Email,Mahjongs\r\n" in content
    assert read(content).claim == social
