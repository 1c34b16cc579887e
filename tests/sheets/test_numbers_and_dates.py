"""Which texts and cells are numbers or dates, and what is said of the others."""

from datetime import date
from decimal import Decimal

import pytest

from shared.sheets.cells import Fault, date_cell, number_cell, text_cell
from shared.sheets.rows.dates import day_of_serial, read_date
from shared.sheets.rows.numbers import read_number, read_points, read_whole

NUMBERS = {
    "0": "0", "007": "7", "2.0": "2", "125": "125", "+60": "60", " 60 ": "60",
    "\u00a060\u00a0": "60", "-50": "-50", "\u221250": "-50", "\u201350": "-50", "- 50": "-50",
    "(50)": "-50", "( 50 )": "-50", "-0": "0", "(0)": "0", "12.5": "12.5", ".5": "0.5",
    "-.25": "-0.25", "(1,250.50)": "-1250.5", "1,250": "1250", "12,345": "12345",
    "1,234,567": "1234567", "-1,250": "-1250",
}  # fmt: skip
NO_NUMBERS = {
    "1,25": "decimal_comma", "12,5": "decimal_comma", "-37,5": "decimal_comma",
    "0,250": "decimal_comma", "1.250,5": "decimal_comma", ",5": "decimal_comma",
    "1,2500": "decimal_comma", "1.250": "ambiguous_number", "1.234.567": "ambiguous_number",
    "-1.250": "ambiguous_number", "1.3333": "points_too_precise", "0.0625": "points_too_precise",
    "1 250": "invalid_number", "1'250": "invalid_number", "1,250,5": "invalid_number",
    "$50": "invalid_number", "50 pts": "invalid_number", "50-": "invalid_number",
    "--50": "invalid_number", "-(50)": "invalid_number", "(-50)": "invalid_number",
    "(50": "invalid_number", "1e3": "invalid_number", "1.5E+02": "invalid_number",
    "50%": "invalid_number", "5.": "invalid_number", "\u0665": "invalid_number",
    "O": "invalid_number", "=1+1": "invalid_number", "NaN": "invalid_number",
    "inf": "invalid_number", "1_000": "invalid_number", "-": "invalid_number",
    "1/2": "invalid_number", "2-0": "invalid_number", "9999999999": "out_of_range",
    "9" * 400: "invalid_number",
}  # fmt: skip


@pytest.mark.parametrize("text", NUMBERS)
def test_a_text_is_the_number_that_it_shows(text: str) -> None:
    assert read_number(text_cell(text)) == Decimal(NUMBERS[text])


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_a_text_that_is_no_number_or_may_be_two_is_refused_by_name(text: str) -> None:
    fault = read_number(text_cell(text))
    assert isinstance(fault, Fault)
    assert fault.code == NO_NUMBERS[text]


def test_thousands_are_in_doubt_where_commas_may_be_decimal() -> None:
    fault = read_number(text_cell("1,250"), is_comma_decimal=True)
    assert isinstance(fault, Fault)
    assert fault.code == "ambiguous_number"
    assert read_number(text_cell("1,250.5"), is_comma_decimal=True) == Decimal("1250.5")


def test_a_date_is_no_number_although_a_spreadsheet_made_it_of_one() -> None:
    fault = read_points(date_cell(date(2026, 1, 2)))
    assert isinstance(fault, Fault)
    assert "a date, 2026-01-02" in fault.message


def test_half_a_mahjong_and_a_thousandth_of_a_point_are_mistakes_in_number_cells_too() -> None:
    half, third = number_cell(Decimal("0.5")), number_cell(Decimal("0.333"))
    assert [read_whole(half), read_points(third)] == [
        Fault("invalid_number", "0.5 is not a whole number."),
        Fault("points_too_precise", "0.333 has more than two decimals."),
    ]


DATES = ["2026-01-31", "2026-1-31", "2026/01/31", "2026.1.31", "2026-01-31T00:00:00"]
DATES += ["2026-01-31 00:00", "January 31, 2026", "Jan 31 2026", "Jan. 31, 2026", "31 January 2026"]
DATES += ["31-Jan-2026", "31st January 2026", " 2026-01-31 ", "JAN 31, 2026"]
DATES += ["31.1.2026", "31/01/2026", "1/31/2026", "31. 1. 2026", "01-31-2026"]


@pytest.mark.parametrize("text", DATES)
def test_a_text_with_year_month_and_day_told_apart_is_a_date(text: str) -> None:
    assert read_date(text_cell(text), is_1904=None) == date(2026, 1, 31)


NO_DATES = dict.fromkeys(
    ["1/2/2026", "01-02-2026", "1.2.2026", "31.1.26", "31/1/026", "46053", "20260131", "2026"],
    "ambiguous_date",
) | dict.fromkeys(
    [
        *["2026-02-30", "2026-13-01", "2026-31-01", "0000-01-01", "31/31/2026", "30.2.2026"],
        *["Foo 31, 2026", "Jan 2026", "soon"],
        *["2026-01-30T23:00:00Z", "2026-01-31T19:30", "2026-01-31+14:00", "Saturday 2026-01-31"],
    ],
    "invalid_date",
)


@pytest.mark.parametrize("text", NO_DATES)
def test_a_text_that_is_no_date_or_may_be_two_is_refused_by_name(text: str) -> None:
    fault = read_date(text_cell(text), is_1904=False)
    assert isinstance(fault, Fault)
    assert fault.code == NO_DATES[text]
    assert "2026-01-31" in fault.message


@pytest.mark.parametrize("serial", ["2026", "20260131", "46053.5", "0", "-1", "1e9"])
def test_a_number_that_is_hardly_a_day_of_play_is_no_date(serial: str) -> None:
    fault = read_date(number_cell(Decimal(serial)), is_1904=False)
    assert isinstance(fault, Fault)
    assert fault.code == "invalid_date"


def test_serial_numbers_count_as_excel_counts_them() -> None:
    # Examples of ECMA-376 part 1, 18.17.4.3, and the known days of 2026-01-31.
    assert day_of_serial(46053, is_1904=False) == date(2026, 1, 31)
    assert day_of_serial(44591, is_1904=True) == date(2026, 1, 31)
    assert day_of_serial(61, is_1904=False) == date(1900, 3, 1)
    assert day_of_serial(2958465, is_1904=False) == date(9999, 12, 31)
    assert day_of_serial(2957003, is_1904=True) == date(9999, 12, 31)


def test_a_day_that_is_its_month_is_read_in_either_order() -> None:
    assert read_date(text_cell("5/5/2026"), is_1904=None) == date(2026, 5, 5)
