"""Reads the date of a session from a cell, or says why it cannot be known. Knows no time zone."""

import re
from datetime import date, timedelta
from decimal import Decimal
from typing import Final

from shared.sheets.cells import Cell, Fault

_YEAR_FIRST: Final = re.compile(
    r"(?P<year>[0-9]{4})([-/.])(?P<month>[0-9]{1,2})\2(?P<day>[0-9]{1,2})([T ]00:00(:00(\.0+)?)?)?"
)
_NAMED_MONTH: Final = re.compile(
    r"(?P<month>[A-Za-z]{3,9})\.?[ -](?P<day>[0-9]{1,2})(st|nd|rd|th)?,? (?P<year>[0-9]{4})"
)
_NAMED_AFTER_DAY: Final = re.compile(
    r"(?P<day>[0-9]{1,2})(st|nd|rd|th)?[ -](?P<month>[A-Za-z]{3,9})\.?,?[ -](?P<year>[0-9]{4})"
)
_FULL_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_NUMBERS_ONLY: Final = re.compile(
    r"(?P<first>[0-9]{1,2})[-/. ]+(?P<second>[0-9]{1,2})[-/. ]+(?P<year>[0-9]{2,4})"
)
_MONTHS: Final = 12
_YEAR_DIGITS: Final = 4
# Serial numbers of 1950 to 2100. A year alone, or a date written as 20260131, is not one.
_SERIAL_MIN: Final = 18_264
_SERIAL_MAX: Final = 73_415
_DAY_0: Final = date(1899, 12, 30)
_DAY_0_OF_1904: Final = date(1904, 1, 1)
_WRITE: Final = "Write the date like 2026-01-31: year, month, day."


def read_date(cell: Cell, *, is_1904: bool | None) -> date | Fault:
    """Return the date in a cell that is not blank, or what is wrong with it.

    A bare serial number counts from the day that the workbook names; in a CSV file no one knows it.
    """
    if cell.fault is not None:
        return cell.fault
    if isinstance(cell.value, date):
        return cell.value
    if isinstance(cell.value, Decimal):
        return _of_serial(cell.value, is_1904=is_1904)
    return _of_text(str(cell.value).strip())


def day_of_serial(serial: int, *, is_1904: bool) -> date:
    """Return the day that a serial number of a workbook means. Raises OverflowError."""
    return (_DAY_0_OF_1904 if is_1904 else _DAY_0) + timedelta(days=serial)


def _of_serial(serial: Decimal, *, is_1904: bool | None) -> date | Fault:
    if is_1904 is None or serial % 1 or not _SERIAL_MIN <= serial <= _SERIAL_MAX:
        return Fault("invalid_date", f"The number {serial:f} is not a date. {_WRITE}")
    return day_of_serial(int(serial), is_1904=is_1904)


def _of_text(text: str) -> date | Fault:
    numbers = _NUMBERS_ONLY.fullmatch(text)
    if numbers is not None:
        return _of_numbers(text, int(numbers["first"]), int(numbers["second"]), numbers["year"])
    if re.fullmatch(r"[0-9]+([.,][0-9]+)?", text):
        return Fault(
            "ambiguous_date",
            f"{text} could count days from 1900 or from 1904, if it is a date at all. {_WRITE}",
        )
    for pattern in (_YEAR_FIRST, _NAMED_MONTH, _NAMED_AFTER_DAY):
        found = pattern.fullmatch(text)
        month = _month(found["month"]) if found else None
        if found and month:
            try:
                return date(int(found["year"]), month, int(found["day"]))
            except ValueError:
                return Fault("invalid_date", f"{text} is not in the calendar. {_WRITE}")
    return Fault("invalid_date", f'"{text[:40]}" is not a date. {_WRITE}')


def _of_numbers(text: str, first: int, second: int, year: str) -> date | Fault:
    """Read a date that ends with the year, like 31.1.2026: a number above 12 cannot be a month."""
    if len(year) != _YEAR_DIGITS:
        return Fault("ambiguous_date", f"{text} has a year of {len(year)} digits. {_WRITE}")
    if max(first, second) <= _MONTHS and first != second:
        return Fault(
            "ambiguous_date",
            f"{text} could be read with the day or the month first. {_WRITE}",
        )
    day, month = (first, second) if first > _MONTHS else (second, first)
    try:
        return date(int(year), month, day)
    except ValueError:
        return Fault("invalid_date", f"{text} is not in the calendar. {_WRITE}")


def _month(text: str) -> int | None:
    if text.isdigit():
        return int(text)
    for number, name in enumerate(_FULL_MONTHS, start=1):
        if text.lower() in {name, name[:3], "sept" if number == 9 else name}:
            return number
    return None
