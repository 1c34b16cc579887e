"""A workbook costs little, whatever its kilobytes unpack to, and a large honest one is read."""

import contextlib
import gc
import io
import time
from datetime import date

import pytest
import xlsxwriter

from services.ingest.sheets.submitting import check_sheet
from shared.sheets.cells import SheetRefused
from shared.sheets.opening import open_workbook
from shared.sheets.reading import ScoreSheet, read_score_sheet
from tests.hostile.books import BOOKS
from tests.sheets.sheets import opened

ROUNDS = 100
# What the worst of them takes is three times as much, for the width of its rows.
TIMES_MAX = 6


def club_sheet() -> bytes:
    """Return 100 rounds as a club keeps them: colors, frames far beyond the rows, lists, notes."""
    content = io.BytesIO()
    book = xlsxwriter.Workbook(content, {"in_memory": True})
    sheet = book.add_worksheet("Night")
    frame = book.add_format({"border": 1, "bg_color": "#eeeeff", "num_format": "0.00"})
    bold = book.add_format({"bold": True, "bg_color": "#ffcc00"})
    day = book.add_format({"num_format": "yyyy-mm-dd"})
    for row in range(5_000):
        sheet.set_row(row, 18, frame)
        for column in range(20):
            sheet.write_blank(row, column, None, frame)
    sheet.set_column(0, 20, 14, frame)
    sheet.merge_range("F1:J3", "The Wednesday Club", bold)
    sheet.write_row(0, 0, ["Date:"])
    sheet.write_datetime(0, 1, date(2026, 1, 31), day)
    sheet.write_row(1, 0, ["Game Type:", "League"])
    row = 3
    for number in range(1, ROUNDS + 1):
        sheet.merge_range(row, 0, row, 4, "", bold)
        sheet.write_rich_string(
            row, 0, bold, f"ROUND {number}", frame, " | Games Played: 8 | Wall Games: 0"
        )
        sheet.write_row(row + 1, 0, ["Player Email", "Name", "Mahjongs", "Points", "Notes"], bold)
        for seat in range(4):
            points = 25.5 if seat % 2 else -25.5
            told = [f"p{seat}.{number}@example.com", f"Player {seat}", 2, points, "well played"]
            sheet.write_row(row + 2 + seat, 0, told, frame)
        row += 7
    sheet.conditional_format(0, 0, 4_999, 19, {"type": "3_color_scale"})
    sheet.data_validation(0, 2, 4_999, 2, {"validate": "integer", "criteria": ">=", "value": 0})
    book.define_name("Players", "=Night!$A$1:$A$5000")
    book.close()
    return content.getvalue()


def read(content: bytes) -> ScoreSheet:
    return read_score_sheet(open_workbook(content))


def took_s(content: bytes) -> float:
    gc.collect()
    start = time.process_time()
    with contextlib.suppress(SheetRefused):
        read(content)
    return time.process_time() - start


@pytest.fixture(scope="module")
def club() -> bytes:
    return club_sheet()


@pytest.fixture(scope="module")
def club_s(club: bytes) -> float:
    return min(took_s(club) for _ in range(3))


def test_a_hundred_rounds_with_all_that_a_club_paints_around_them_are_read(club: bytes) -> None:
    sheet = read(club)
    assert sheet.located() == []
    checked = check_sheet(
        opened(sheet), allow_duplicate=False, source="a-club", today_latest=date(2026, 12, 31)
    )
    assert len(checked.session.rounds) == ROUNDS
    assert {seat.points_centi for each in checked.session.rounds for seat in each.seats} == {
        2_550,
        -2_550,
    }


@pytest.mark.parametrize("kind", BOOKS)
def test_no_workbook_costs_much_more_than_an_honest_one(kind: str, club_s: float) -> None:
    content = BOOKS[kind]()
    assert len(content) < 1 << 20
    times = took_s(content) / club_s
    if times >= TIMES_MAX:
        # The machine may have been busy with something else.
        times = min(times, took_s(content) / club_s)
    assert times < TIMES_MAX, f"{len(content):,} bytes take {times:.0f} times an honest sheet."
