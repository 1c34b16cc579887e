"""Reads the fields of a record, and says which one is wrong when one is.

Fields that a reader does not know are ignored: newer programs may write more of them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from itertools import chain
from typing import Any, Final, TypeAlias, TypeGuard, TypeVar

from shared.errors import MahjicError

T = TypeVar("T", bound=str)
IntColumns: TypeAlias = list[tuple[int, ...]]

# The log holds ids, codes and times. Anything longer, or that fits no table, is not ours.
TEXT_CHARACTERS_MAX: Final = 200
_INT: Final = frozenset({int})
_STR: Final = frozenset({str})
_LIST: Final = frozenset({list})
_DICT: Final = frozenset({dict})
_UTC_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|\+00:00)", re.ASCII)


class UnreadableRecord(MahjicError):
    """The record's bytes are not an event: not JSON, no envelope, or fields of the wrong kind."""

    code = "unreadable_record"
    title = "A record on the log cannot be read"


def text(data: Mapping[str, Any], name: str) -> str:
    """Return a field that is a short text of printable ASCII characters, as ids and codes are."""
    value = data.get(name)
    if not _is_text(value):
        raise UnreadableRecord(f"The field {name} is missing or is not a short plain text.")
    return value


def text_fields(data: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """Return several such fields, checked together: every record has a few."""
    values: list[Any] = [data.get(name) for name in names]
    if _STR.issuperset(map(type, values)) and _are_texts(values):
        return values
    return [text(data, name) for name in names]  # It says which one is wrong.


def utc_time(data: Mapping[str, Any], name: str) -> str:
    """Return a field that is a time in UTC as RFC 3339 writes it."""
    value = text(data, name)
    if _UTC_TIME.fullmatch(value) is None or not _is_understood(datetime.fromisoformat, value):
        raise UnreadableRecord(f"The field {name} is not a time in UTC.")
    return value


def calendar_date(data: Mapping[str, Any], name: str) -> str:
    """Return a field that is a date of the calendar, written YYYY-MM-DD."""
    value = text(data, name)
    # The library also reads other ways to write a date; only ours comes back as it was.
    if not _is_understood(date.fromisoformat, value) or len(value) != 10 or value[7] != "-":
        raise UnreadableRecord(f"The field {name} is not a date written as YYYY-MM-DD.")
    return value


def whole(data: Mapping[str, Any], name: str) -> int:
    """Return a field that is a whole number."""
    value = data.get(name)
    if type(value) is not int:
        raise UnreadableRecord(f"The field {name} is missing or is not a whole number.")
    return value


def one_of(data: Mapping[str, Any], name: str, allowed: tuple[T, ...]) -> T:
    """Return a field that is one of a few texts."""
    value = data.get(name)
    for each in allowed:
        if each == value:
            return each
    raise UnreadableRecord(f"The field {name} is not one of {', '.join(allowed)}.")


def read_list(data: Mapping[str, Any], name: str) -> list[Any]:
    """Return a field that is a list of objects."""
    value = data.get(name)
    if not isinstance(value, list) or not _DICT.issuperset(map(type, value)):
        raise UnreadableRecord(f"The field {name} is missing or is not a list of objects.")
    return value


def read_object(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a field that is an object."""
    value = data.get(name)
    if not isinstance(value, dict):
        raise UnreadableRecord(f"The field {name} is missing or is not an object.")
    return value


def texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a field that is a list of short plain texts."""
    value = data.get(name)
    if not isinstance(value, list) or not _are_texts(value):
        raise UnreadableRecord(
            f"The field {name} is missing or is not a list of short plain texts."
        )
    return tuple(value)


def ints(data: Mapping[str, Any], name: str, length: int) -> tuple[int, ...]:
    """Return a column of whole numbers with one place per seat."""
    value = data.get(name)
    if not isinstance(value, list) or len(value) != length or not _INT.issuperset(map(type, value)):
        raise UnreadableRecord(f"The field {name} is not a list of {length} whole numbers.")
    return tuple(value)


def int_columns(data: Mapping[str, Any], names: Sequence[str], length: int) -> IntColumns:
    """Return several such columns, checked together: rounds have ten of them."""
    columns: list[Any] = [data.get(name) for name in names]
    if (
        _LIST.issuperset(map(type, columns))
        and {length}.issuperset(map(len, columns))
        and _INT.issuperset(map(type, chain.from_iterable(columns)))
    ):
        return [*map(tuple, columns)]
    return [ints(data, name, length) for name in names]  # It says which one is wrong.


def optional_text(data: Mapping[str, Any], name: str) -> str | None:
    """Return such a short plain text, or None where it is left out."""
    return text(data, name) if name in data else None


def optional_ints(data: Mapping[str, Any], name: str, length: int) -> tuple[int, ...] | None:
    """Return a column of whole numbers, or None when it is left out."""
    return None if data.get(name) is None else ints(data, name, length)


def optional_texts(data: Mapping[str, Any], name: str, length: int) -> tuple[str, ...] | None:
    """Return a column of short plain texts, or None when it is left out."""
    if data.get(name) is None:
        return None
    column = texts(data, name)
    if len(column) != length:
        raise UnreadableRecord(f"The field {name} is not a list of {length} short plain texts.")
    return column


def _is_text(value: object) -> TypeGuard[str]:
    return (
        type(value) is str
        and len(value) <= TEXT_CHARACTERS_MAX
        and value.isascii()
        and value.isprintable()
    )


def _are_texts(values: list[Any]) -> bool:
    """Return whether all are texts, checked together: there is one for every seat."""
    try:
        together = "".join(values)
    except TypeError:
        return False
    is_short = len(together) <= TEXT_CHARACTERS_MAX or max(map(len, values)) <= TEXT_CHARACTERS_MAX
    return is_short and together.isascii() and together.isprintable()


def _is_understood(read: Callable[[str], object], value: str) -> bool:
    try:
        read(value)
    except ValueError:
        return False
    return True
