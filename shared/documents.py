"""Reads a JSON document by a model, or refuses it with every mistake and its place.

Pure. Strict: `2.0`, `"2"` and `true` are not whole numbers.
"""

from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from shared.errors import ClaimRefused, MalformedJson, Mistake
from shared.json_text import JsonDocument, NotJson, read_json
from shared.mistakes import mistakes_in_body, pointer, quoted

T = TypeVar("T")


def parse_strictly(model_adapter: TypeAdapter[T], raw: bytes) -> T:
    """Return what a JSON document says, or refuse it with its mistakes.

    Strict: `2.0`, `"2"` and `true` are not whole numbers. Raises MalformedJson for what is not
    JSON, and ClaimRefused, with JSON pointers, for what breaks a rule of the model.
    """
    return checked(model_adapter, read_document(raw))


def read_document(raw: bytes) -> JsonDocument:
    """Return the document in a body or a line. Raises MalformedJson."""
    try:
        return read_json(raw)
    except NotJson as wrong:
        reason = wrong.reason
        if wrong.repeated_name is not None:
            reason = f"an object has two members named {quoted(wrong.repeated_name)}"
        raise MalformedJson(reason, line=wrong.line, column=wrong.column) from None


def checked(model_adapter: TypeAdapter[T], document: JsonDocument) -> T:
    """Return a document as a model reads it. Raises ClaimRefused, as `parse_strictly` does."""
    odd = [Mistake(pointer(each.path), each.code, each.message) for each in document.odd_values()]
    if document.is_cut:
        raise ClaimRefused(odd)
    try:
        value = model_adapter.validate_python(document.value, strict=True)
    except ValidationError as error:
        mistakes = mistakes_in_body(error.errors(include_url=False), document.value)
        raise ClaimRefused(_without_repeats([*mistakes, *odd])) from None
    if odd:
        raise ClaimRefused(odd)
    return value


def _without_repeats(mistakes: list[Mistake]) -> list[Mistake]:
    """Keep the first mistake of each place and code."""
    return list({(m.pointer, m.code): m for m in reversed(mistakes)}.values())[::-1]
