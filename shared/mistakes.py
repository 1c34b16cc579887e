"""Turns what pydantic finds wrong into mistakes with our own codes, pointers and sentences.

A sentence names the value, shortened, so that its sender can find it. Sentences go to the sender
of the request only, and never into a log.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, get_args

from pydantic_core import ErrorDetails
from pydantic_core.core_schema import ErrorType

from shared.errors import MISTAKES_MAX, MORE_MISTAKES, MORE_WORDS, Mistake, told_mistakes

# An answer has a pointer for each mistake, and a name may be as long as the document.
POINTER_CHARACTERS_MAX: Final = 200
_QUOTED_CHARACTERS_MAX: Final = 60

_A_DATE: Final = "a calendar date, written as YYYY-MM-DD"
_A_TIME: Final = "a time, written as in RFC 3339"
_WRONG_TYPE: Final = {
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "decimal_type": "a number",
    "decimal_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "a string",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dataclass_type": "an object",
    "date_type": _A_DATE,
    "datetime_type": _A_TIME,
    "none_required": "null",
}
# The code, and what the value must be; `{...}` is filled in by pydantic.
RULES: Final = {
    "greater_than": ("out_of_range", "more than {gt}"),
    "greater_than_equal": ("out_of_range", "{ge} or more"),
    "less_than": ("out_of_range", "less than {lt}"),
    "less_than_equal": ("out_of_range", "{le} or less"),
    "finite_number": ("out_of_range", "a finite number"),
    "int_parsing_size": ("out_of_range", "a whole number of at most 64 bits"),
    "decimal_max_digits": ("out_of_range", "a number of at most {max_digits} digits"),
    "decimal_whole_digits": ("out_of_range", "a number of at most {whole_digits} whole digits"),
    "decimal_max_places": ("too_precise", "a number with at most {decimal_places} decimals"),
    "multiple_of": ("too_precise", "a multiple of {multiple_of}"),
    "string_too_long": ("too_long", "at most {max_length} characters long"),
    "string_too_short": ("too_short", "at least {min_length} characters long"),
    "too_long": ("too_long", "a list of at most {max_length}"),
    "too_short": ("too_short", "a list of at least {min_length}"),
    "literal_error": ("unknown_value", "one of {expected}"),
    "enum": ("unknown_value", "one of {expected}"),
    "date_parsing": ("wrong_format", _A_DATE),
    "date_from_datetime_parsing": ("wrong_format", _A_DATE),
    "date_from_datetime_inexact": ("wrong_format", _A_DATE),
    "datetime_parsing": ("wrong_format", _A_TIME),
    "datetime_from_date_parsing": ("wrong_format", _A_TIME),
    "string_pattern_mismatch": ("wrong_format", "written in the form {pattern}"),
}
_OWN_WORDS: Final = ("value_error", "assertion_error")
_PYDANTIC_TYPES: Final = frozenset(get_args(ErrorType))


def mistakes_in_body(errors: Sequence[ErrorDetails], document: object) -> list[Mistake]:
    """Return the mistakes that pydantic found in a JSON document, with pointers into it."""
    located = [(_pointer_into(document, error), error) for error in errors[:MISTAKES_MAX]]
    mistakes = list(_merged(located))
    if len(errors) > MISTAKES_MAX:
        mistakes.append(Mistake("", MORE_MISTAKES, MORE_WORDS))
    return mistakes


def mistakes_in_parameters(errors: Iterable[Any]) -> list[Mistake]:
    """Return the mistakes that FastAPI found in parameters; `/query/limit` points at one."""
    located = ((pointer(error["loc"]), error) for error in errors)
    return list(told_mistakes(_merged(located), Mistake("", MORE_MISTAKES, MORE_WORDS)))


def pointer(path: Iterable[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) of a path of names and indexes.

    If that would be very long, it is the pointer of the last part on the way that fits.
    """
    pointed = ""
    for step in path:
        name = str(step)
        if len(pointed) + len(name) >= POINTER_CHARACTERS_MAX:
            break
        pointed += "/" + name.replace("~", "~0").replace("/", "~1")
    return pointed


def quoted(value: object) -> str:
    """Return a value as JSON would write it, shortened and safe to put into any sentence."""
    match value:
        case Mapping():
            return "an object"
        case list() | tuple():
            return f"a list of {len(value)}"
        case str():
            text = value
            if len(text) > _QUOTED_CHARACTERS_MAX:
                text = text[: _QUOTED_CHARACTERS_MAX - 1] + "…"
            return json.dumps(text, ensure_ascii=False).encode(errors="replace").decode()
        case Decimal():
            return str(value)[:_QUOTED_CHARACTERS_MAX]
        case None | bool() | float() | int():
            # Writing out a huge whole number would take the square of its length.
            huge = isinstance(value, int) and value.bit_length() > 200
            return "a number of more than 60 digits" if huge else json.dumps(value)
        case _:
            return "this value"


def _merged(located: Iterable[tuple[str, Mapping[str, Any]]]) -> Iterable[Mistake]:
    """Yield one mistake per place and code: a choice of types is one mistake and not several."""
    expected: dict[tuple[str, str], list[str]] = {}
    values: dict[tuple[str, str], Any] = {}
    others: list[Mistake] = []
    for place, error in located:
        wanted = _WRONG_TYPE.get(error["type"])
        if wanted is None:
            others.append(_mistake(place, error))
            continue
        spot = (place, "wrong_type")
        values[spot] = error["input"]
        if wanted not in expected.setdefault(spot, []):
            expected[spot].append(wanted)
    for (place, code), choices in expected.items():
        sentence = f"It must be {_either(choices)}; {quoted(values[place, code])} is not."
        yield Mistake(place, code, sentence)
    yield from others


def _mistake(place: str, error: Mapping[str, Any]) -> Mistake:
    kind, value = error["type"], quoted(error["input"])
    last_step = quoted(error["loc"][-1]) if error["loc"] else "it"
    if kind == "missing":
        return Mistake(place, "missing", f"{last_step} is required.")
    if kind == "extra_forbidden":
        return Mistake(place, "unknown_field", f"Unknown field: {last_step}. Leave it out.")
    if kind in _OWN_WORDS:
        return Mistake(place, "invalid_value", str(error["msg"]).partition(", ")[2])
    if kind not in _PYDANTIC_TYPES:
        # A model's own error: its type and words are already ours.
        return Mistake(place, kind, str(error["msg"]))
    code, rule = RULES.get(kind, ("invalid_value", "something else"))
    must_be = rule.format(**error.get("ctx", {}))
    return Mistake(place, code, f"It must be {must_be}; {value} is not.")


def _pointer_into(document: object, error: Mapping[str, Any]) -> str:
    """Return the pointer of an error, without the steps that only pydantic's own types know.

    In a choice of types pydantic adds the type it tried to the path (`players`, 0, `int`).
    """
    steps: list[str | int] = []
    node: Any = document
    for step in error["loc"]:
        is_name = isinstance(node, dict) and step in node
        if is_name or (isinstance(node, list) and isinstance(step, int) and step < len(node)):
            node = node[step]
            steps.append(step)
    if error["type"] == "missing":
        steps.append(error["loc"][-1])
    return pointer(steps)


def _either(choices: Sequence[str]) -> str:
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"
