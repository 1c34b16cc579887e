"""Reads JSON text as strictly as RFC 8259 and I-JSON (RFC 7493) allow, so it means one thing only.

pydantic and orjson both keep the last of two members with one name; another reader keeps the
first. What two readers can take for different things is refused here, before it is validated.
"""

import json
from typing import Any, Final, NoReturn

import orjson

from shared.errors import Mistake
from shared.http.mistakes import pointer, quoted
from shared.http.problems import MalformedJson

INTEGER_MAX: Final = (1 << 63) - 1
# The limit of pydantic's own reader.
NESTING_MAX: Final = 200
NESTED_TOO_DEEPLY: Final = f"it is nested more than {NESTING_MAX} deep"
_DIGITS_AS_ZEROS: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 19


def odd_values(raw: bytes) -> list[Mistake]:
    """Refuse what is not JSON; return the values in it that no column or client can hold.

    Those are whole numbers beyond 64 bits, numbers beyond a double, and the character NUL, which
    PostgreSQL does not store. Raises MalformedJson.
    """
    rewritten = _rewritten(raw)
    may_be_odd = (
        rewritten is None or _LONG_NUMBER in raw.translate(_DIGITS_AS_ZEROS) or b"\\u0000" in raw
    )
    if rewritten is not None and not may_be_odd and _has_different_names(raw, rewritten):
        return []
    document = _read_slowly(raw)
    mistakes: list[Mistake] = []
    if may_be_odd:
        _look_for_odd_values(document, [], mistakes)
    return mistakes


def _rewritten(raw: bytes) -> bytes | None:
    """Return the document as orjson writes it again; None for what it can't read or write."""
    try:
        return orjson.dumps(orjson.loads(raw))
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return None  # The slow way says better what is wrong, and where.


def _has_different_names(raw: bytes, rewritten: bytes) -> bool:
    """Tell quickly that no object has two members of one name; False is no proof of the contrary.

    A document without an escape keeps its colons when it is written again, but for those of a
    member that another one of its name replaced.
    """
    return b"\\" not in raw and raw.count(b":") == rewritten.count(b":")


def _read_slowly(raw: bytes) -> object:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _place(raw[: error.start])
        raise MalformedJson("it is not UTF-8", line=line, column=column) from None
    if text.startswith("\ufeff"):
        raise MalformedJson("it starts with a byte order mark", line=1, column=1)
    try:
        return _STRICT.decode(text)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise MalformedJson(reason, line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise MalformedJson(NESTED_TOO_DEEPLY) from None
    except ValueError:
        # Python reads whole numbers of up to 4,300 digits.
        raise MalformedJson("it has a number with thousands of digits") from None


def _object_of_different_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise MalformedJson(f"an object has two members with the name {quoted(twice)}")
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise MalformedJson(f"{name} is no number in JSON")


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_object_of_different_names, parse_constant=_refuse_constant
)


def _look_for_odd_values(node: object, path: list[str | int], mistakes: list[Mistake]) -> None:
    if len(path) > NESTING_MAX:
        raise MalformedJson(NESTED_TOO_DEEPLY)
    match node:
        case dict():
            for name, value in node.items():
                if "\0" in name:
                    mistakes.append(_mistake([*path, name], "forbidden_character", _NUL_RULE))
                _look_for_odd_values(value, [*path, name], mistakes)
        case list():
            for index, value in enumerate(node):
                _look_for_odd_values(value, [*path, index], mistakes)
        case str() if "\0" in node:
            mistakes.append(_mistake(path, "forbidden_character", _NUL_RULE))
        case int() if abs(node) > INTEGER_MAX:
            mistakes.append(_mistake(path, "out_of_range", "Whole numbers have at most 64 bits."))
        case float() if node in (float("inf"), float("-inf")):
            mistakes.append(_mistake(path, "out_of_range", "The number is too large."))
        case _:
            pass


_NUL_RULE: Final = "The character U+0000 may not be used."


def _mistake(path: list[str | int], code: str, message: str) -> Mistake:
    return Mistake(pointer(path), code, message)


def _place(before: bytes) -> tuple[int, int]:
    line_start = before.rfind(b"\n") + 1
    column = len(before[line_start:].decode("utf-8", "replace")) + 1
    return before.count(b"\n") + 1, column
