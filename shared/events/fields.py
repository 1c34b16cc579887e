"""Reads the fields of a record, and says which one is wrong when one is.

Fields that a reader does not know are ignored: newer programs may write more of them.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from shared.errors import MahjicError

T = TypeVar("T", bound=str)


class UnreadableRecord(MahjicError):
    """A record whose bytes are no event: not JSON, no envelope, or fields of the wrong kind."""

    code = "unreadable_record"
    title = "A record on the log cannot be read"


def text(data: Mapping[str, Any], name: str) -> str:
    """Return a field that is a text."""
    value = data.get(name)
    if not isinstance(value, str):
        raise UnreadableRecord(f"The field {name} is missing or is no text.")
    return value


def whole(data: Mapping[str, Any], name: str) -> int:
    """Return a field that is a whole number."""
    value = data.get(name)
    if type(value) is not int:
        raise UnreadableRecord(f"The field {name} is missing or is no whole number.")
    return value


def one_of(data: Mapping[str, Any], name: str, allowed: tuple[T, ...]) -> T:
    """Return a field that is one of a few texts."""
    value = data.get(name)
    for each in allowed:
        if each == value:
            return each
    raise UnreadableRecord(f"The field {name} is none of {', '.join(allowed)}.")


def read_list(data: Mapping[str, Any], name: str) -> list[Any]:
    """Return a field that is a list of objects."""
    value = data.get(name)
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise UnreadableRecord(f"The field {name} is missing or is no list of objects.")
    return value


def texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return a field that is a list of texts."""
    value = data.get(name)
    if not isinstance(value, list) or not all(type(each) is str for each in value):
        raise UnreadableRecord(f"The field {name} is missing or is no list of texts.")
    return tuple(value)


def ints(data: Mapping[str, Any], name: str, length: int) -> tuple[int, ...]:
    """Return a column of whole numbers with one place per seat."""
    value = data.get(name)
    if (
        not isinstance(value, list)
        or len(value) != length
        or not all(type(each) is int for each in value)
    ):
        raise UnreadableRecord(f"The field {name} is no list of {length} whole numbers.")
    return tuple(value)


def optional_ints(data: Mapping[str, Any], name: str, length: int) -> tuple[int, ...] | None:
    """Return a column of whole numbers, or None when it is left out."""
    return None if data.get(name) is None else ints(data, name, length)
