"""Writes exact numbers for pages: with a true minus sign, and no digit lost. Pure."""

from typing import Final

from services.site.kit.words import MINUS

_NANO_PLACES: Final = 9
_CENTI_PLACES: Final = 2


def nano(value: int, *, signed: bool = False, shortest: bool = False) -> str:
    """Return billionths as a decimal number, `shortest` without zeros at the end."""
    return _decimal(value, _NANO_PLACES, signed=signed, shortest=shortest)


def centi(value: int, *, signed: bool = False, shortest: bool = False) -> str:
    """Return hundredths as a decimal number."""
    return _decimal(value, _CENTI_PLACES, signed=signed, shortest=shortest)


def percent(share_nano: int) -> str:
    """Return a share of one, in billionths, as a whole number of hundredths."""
    return f"{(share_nano + 5_000_000) // 10_000_000}%"


def _decimal(value: int, places: int, *, signed: bool, shortest: bool) -> str:
    units, rest = divmod(abs(value), 10**places)
    decimals = f"{rest:0{places}}"
    if shortest:
        decimals = decimals.rstrip("0")
    sign = MINUS if value < 0 else "+" if signed and value else ""
    return f"{sign}{units}.{decimals}" if decimals else f"{sign}{units}"
