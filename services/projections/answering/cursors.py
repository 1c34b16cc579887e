"""Writes and reads cursors: the place where a page ended, as text that clients send back."""

import base64
import binascii
from typing import Final

import orjson

from shared.errors import MahjicError
from shared.json_text import INTEGER_MAX

CURSOR_CHARACTERS_MAX: Final = 300
CURSOR_PATTERN: Final = r"^[A-Za-z0-9_-]+$"


class WrongCursor(MahjicError):
    """The cursor did not come from a page of this list."""

    code = "wrong_cursor"
    title = "The cursor does not belong to this list"
    status = 422

    def __init__(self) -> None:
        super().__init__(
            "This cursor does not belong to this list with these filters. Start again without "
            "a cursor, and use `next_cursor` unchanged."
        )


def write_cursor(*parts: str | int | None) -> str:
    """Return a cursor that holds these parts."""
    return base64.urlsafe_b64encode(orjson.dumps(parts)).rstrip(b"=").decode()


def read_cursor(cursor: str, *kinds: type) -> list[str | int | None]:
    """Return the parts of a cursor. They must have these types. Raises WrongCursor."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        parts = orjson.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError):
        raise WrongCursor from None
    if not isinstance(parts, list) or [type(part) for part in parts] != list(kinds):
        raise WrongCursor
    if any(type(part) is int and abs(part) > INTEGER_MAX for part in parts):
        raise WrongCursor
    return parts
