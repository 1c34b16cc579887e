"""Reads JSON text as strictly as RFC 8259 and I-JSON (RFC 7493) allow, so it has only one meaning.

Two members of one name, NaN and halves of characters are refused, and a number with a fraction or
an exponent is the Decimal that was sent. The text is decoded once, in time that its length bounds.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from math import isinf
from typing import Final, NamedTuple, TypeAlias

import jiter

from shared.errors import MISTAKES_MAX

INTEGER_MAX: Final = (1 << 63) - 1
# The limit of the reader. The deepest document that we use has five levels.
NESTING_MAX: Final = 200
# The longest session has some 2,500. Each may be a mistake, for which an object is built.
NAMES_MAX: Final = 20_000
_NUL: Final = "\0"
# Makes long numbers stand out: every digit becomes a zero, E becomes e, and pluses go.
_DIGITS_AS_ZEROS: Final = bytes.maketrans(b"123456789E", b"000000000e")
_LONG_NUMBER: Final = b"0" * 19
# With fewer than 19 digits, no shorter exponent exceeds a double.
_LONG_EXPONENT: Final = b"0e000"
_WORDS: Final = re.compile(
    r"(?P<reason>.*) at line (?P<line>[0-9]+) column (?P<column>[0-9]+)", re.DOTALL
)
_REPEATED: Final = re.compile(r'Detected duplicate key "(?P<name>.*)"', re.DOTALL)
_ENDS: Final = "EOF while parsing"
_NO_NUMBERS: Final = (b"NaN", b"Infinity")
# What we say in better words than the reader does.
_REASONS: Final = {
    "recursion limit exceeded": f"it is nested more than {NESTING_MAX} levels deep",
    "number out of range": "it has a number with thousands of digits",
}

Path: TypeAlias = tuple[str | int, ...]


class NotJson(ValueError):
    """A text that is not JSON, or that two readers could take for different things.

    `reason` follows a colon; `line` and `column` count from 1 and say where reading ended.
    `repeated_name` is the name that an object has twice.
    """

    def __init__(
        self, reason: str, line: int, column: int, *, repeated_name: str | None = None
    ) -> None:
        super().__init__(f"{reason} (line {line}, column {column})")
        self.reason = reason
        self.line = line
        self.column = column
        self.repeated_name = repeated_name


@dataclass(frozen=True, slots=True)
class OddValue:
    """A value that is valid JSON, but that no column or client can hold; `path` leads to it."""

    path: Path
    code: str
    message: str


class JsonDocument(NamedTuple):
    """What a text says.

    If it has too many members, `is_cut` is true and its value is left out and not checked.
    """

    value: object
    raw: bytes
    is_cut: bool = False

    def odd_values(self) -> Sequence[OddValue]:
        """Return the first odd values in the document, at most one more than are reported."""
        if self.is_cut:
            return [_TOO_MANY_NAMES]
        odd: list[OddValue] = []
        digits = self.raw.translate(_DIGITS_AS_ZEROS, b"+")
        if b"\\u0000" in self.raw or _LONG_NUMBER in digits or _LONG_EXPONENT in digits:
            _look_at(self.value, [], odd)
        return odd


def read_json(raw: bytes) -> JsonDocument:
    """Return what a JSON text says. Raises NotJson."""
    try:
        value: object = jiter.from_json(
            raw,
            allow_inf_nan=False,
            # Names repeat; addresses and the like must not be kept in memory.
            cache_mode="keys",
            catch_duplicate_keys=True,
            float_mode="decimal",
        )
    except ValueError as error:
        raise _refusal(raw, str(error)) from None
    is_long = len(raw) > NAMES_MAX  # A member takes more than one byte.
    if is_long and raw.count(b":") > NAMES_MAX and _has_too_many_names(value):
        return JsonDocument(None, raw, is_cut=True)
    return JsonDocument(value, raw)


_TOO_MANY_NAMES: Final = OddValue(
    (),
    "too_many_values",
    f"All objects of a document together may have at most {NAMES_MAX} members. Send it in parts.",
)


def _refusal(raw: bytes, words: str) -> NotJson:
    """Return what is wrong with a text, based on the reader's words."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return NotJson("it is not UTF-8", *_place(raw[: error.start]))
    if raw.startswith(b"\xef\xbb\xbf"):
        return NotJson("it starts with a byte order mark", 1, 1)
    told = _WORDS.fullmatch(words)
    assert told is not None, "The reader tells the place."
    if told["reason"].startswith(_ENDS):
        return NotJson(told["reason"].replace(_ENDS, "it ends in the middle of"), *_place(raw))
    before = _until(raw, int(told["line"]), int(told["column"]))
    repeated = _REPEATED.fullmatch(told["reason"])
    name = None if repeated is None else repeated["name"]
    reason = "a name is repeated" if repeated else _reason(told["reason"], raw, len(before))
    return NotJson(reason, *_place(before), repeated_name=name)


def _reason(words: str, raw: bytes, at: int) -> str:
    """Return in our words what the reader found at a place in the text."""
    for name in _NO_NUMBERS:
        if raw.startswith(name, at):
            sign = "-" if raw[:at].endswith(b"-") else ""
            return f"{sign}{name.decode()} is not a number in JSON"
    if words.startswith("Internal error"):
        # A Decimal holds exponents of up to 18 digits.
        return "it has a number with a very long exponent"
    return _REASONS.get(words, words[:1].lower() + words[1:])


def _until(raw: bytes, line: int, column: int) -> bytes:
    """Return what comes before a place given in lines and bytes, counted from 1.

    Byte 0 of a line is the end of the line before.
    """
    *lines, _ = raw.split(b"\n", line - 1)
    start = sum(len(each) + 1 for each in lines)
    return raw[: max(0, start + column - 1)]


def _place(before: bytes) -> tuple[int, int]:
    """Return the line and column, in characters, of what follows."""
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode("utf-8", "replace")) + 1


def _has_too_many_names(value: object) -> bool:
    names, waiting = 0, [value]
    while waiting:
        node = waiting.pop()
        if type(node) is dict:
            names += len(node)
            if names > NAMES_MAX:
                return True
            waiting.extend(node.values())
        elif type(node) is list:
            waiting.extend(node)
    return False


def _look_at(node: object, path: list[str | int], odd: list[OddValue]) -> None:
    """Note the odd values in a part of a document: long numbers, and the character NUL.

    PostgreSQL does not store NUL, and many readers hold no whole number beyond 64 bits.
    """
    members: Iterable[tuple[str | int, object]]
    if isinstance(node, dict):
        named = (OddValue((*path, name), *_HAS_NUL) for name in node if _NUL in name)
        odd.extend(islice(named, MISTAKES_MAX + 1 - len(odd)))
        members = node.items()
    elif isinstance(node, list):
        members = enumerate(node)
    else:
        if (wrong := _wrong_with(node)) is not None:
            odd.append(OddValue(tuple(path), *wrong))
        return
    for step, value in members:
        if len(odd) > MISTAKES_MAX:
            return
        path.append(step)
        _look_at(value, path, odd)
        path.pop()


_HAS_NUL: Final = ("forbidden_character", "The character U+0000 may not be used.")


def is_odd_number(number: int | Decimal) -> bool:
    """Return whether a number is too large for a column or a client."""
    return abs(number) > INTEGER_MAX if isinstance(number, int) else isinf(float(number))


def _wrong_with(value: object) -> tuple[str, str] | None:
    match value:
        case str() if _NUL in value:
            return _HAS_NUL
        case int() if is_odd_number(value):
            return "out_of_range", "Whole numbers may have at most 64 bits."
        case Decimal() if is_odd_number(value):
            return "out_of_range", "The number is too large."
        case _:
            return None
