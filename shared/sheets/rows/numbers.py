"""Reads a number from a cell, or says why it is not one. No text becomes a number by guessing."""

import re
from decimal import Decimal
from typing import Final

from shared.sheets.cells import Cell, Fault

_NUMBER_MAX: Final = 1_000_000_000
# The minus signs that people and programs write; none has another meaning before a digit.
_MINUS: Final = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d-"
_DASHES: Final = re.escape(_MINUS)
_SIGNED: Final = re.compile(rf"(?P<sign>[+{_DASHES}]?)(?P<body>[^+{_DASHES}()]*)")
_BRACKETED: Final = re.compile(r"\((?P<body>[^()]*)\)")
_PLAIN: Final = re.compile(r"[0-9]{1,15}(\.[0-9]{1,2})?|\.[0-9]{1,2}")
_THOUSANDS: Final = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3}){1,4}(?P<rest>\.[0-9]{1,2})?")
_LOOKS_LIKE: Final = re.compile(rf"[(+{_DASHES}]?[ \u00a0]*[0-9.,][0-9., \u00a0\u202f)]*")


def read_number(cell: Cell, *, is_comma_decimal: bool = False) -> Decimal | Fault:
    """Return the number in a cell that is not blank, or what is wrong with it.

    Numbers that are stored as such count as they are. In texts a comma separates thousands, unless
    the file's own commas may be decimal ones.
    """
    if cell.fault is not None:
        return cell.fault
    if isinstance(cell.value, Decimal):
        return _within_reach(cell.value)
    if not isinstance(cell.value, str):
        return Fault(
            "invalid_number",
            f"The cell has a date, {cell.text}. Format it as a number, and type it again.",
        )
    return _read_text(cell.value.strip(), is_comma_decimal=is_comma_decimal)


def read_whole(cell: Cell, *, is_comma_decimal: bool = False) -> int | Fault:
    """Return the whole number in a cell that is not blank, or what is wrong with it."""
    number = read_number(cell, is_comma_decimal=is_comma_decimal)
    if isinstance(number, Fault):
        return number
    if number % 1:
        return Fault("invalid_number", f"{cell.text} is not a whole number.")
    return int(number)


def read_points(cell: Cell, *, is_comma_decimal: bool = False) -> int | float | Fault:
    """Return points as a JSON number of at most two decimals, or what is wrong with them."""
    number = read_number(cell, is_comma_decimal=is_comma_decimal)
    if isinstance(number, Fault):
        return number
    if number * 100 % 1:
        return Fault("points_too_precise", f"{cell.text} has more than two decimals.")
    return float(number) if number % 1 else int(number)


def looks_like_a_number(cell: Cell) -> bool:
    """Whether a cell holds a number, or a part of one that a comma has split."""
    if isinstance(cell.value, str):
        return _LOOKS_LIKE.fullmatch(cell.value.strip()) is not None
    return cell.kind in {"number", "broken"}


def _within_reach(number: Decimal) -> Decimal | Fault:
    """Return the number, unless it is so large that it would lose digits further on."""
    if abs(number) > _NUMBER_MAX:
        return Fault("out_of_range", f"No number in a score sheet can be as large as {number:.3g}.")
    return number


def _read_text(text: str, *, is_comma_decimal: bool) -> Decimal | Fault:
    bracketed = _BRACKETED.fullmatch(text)
    signed = bracketed or _SIGNED.fullmatch(text)
    if signed is None:
        return _no_number(text)
    body = signed["body"].strip()
    is_negative = bracketed is not None or signed["sign"] in set(_MINUS)
    grouped = _THOUSANDS.fullmatch(body)
    if grouped is not None and is_comma_decimal and grouped["rest"] is None:
        return Fault(
            "ambiguous_number",
            f"{text} could have thousands or decimals, because in a file with semicolons a "
            "comma can be a decimal point. Write it without the comma, or with a decimal "
            "point.",
        )
    if grouped is None and _PLAIN.fullmatch(body) is None:
        return _why_not(text, body)
    number = Decimal(body.replace(",", ""))
    return _within_reach(-number if is_negative and number else number)


def _why_not(text: str, body: str) -> Fault:
    if re.fullmatch(r"[0-9]{1,3}(\.[0-9]{3})+", body):
        return Fault(
            "ambiguous_number",
            f"{text} could have thousands or decimals. Write it without the point, or with at "
            "most two decimals.",
        )
    if re.fullmatch(r"[0-9.]*,[0-9]+", body):
        return Fault(
            "decimal_comma", f"{text} has a decimal comma. Write decimals with a point, like 12.5."
        )
    if re.fullmatch(r"[0-9]*\.[0-9]{3,}", body):
        return Fault("points_too_precise", f"{text} has more than two decimals.")
    return _no_number(text)


def _no_number(text: str) -> Fault:
    return Fault(
        "invalid_number",
        f"{_short(text)} is not a number. Use only digits, with a minus sign in front of "
        "negative numbers or parentheses around them.",
    )


def _short(text: str) -> str:
    return f'"{text[:40]}{"..." if len(text) > 40 else ""}"'
