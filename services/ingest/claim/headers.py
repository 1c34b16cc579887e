"""Reads the headers of a submission: Idempotency-Key and Prefer. Pure."""

import re
from collections.abc import Sequence
from typing import Final

from shared.errors import MahjicError

KEY_CHARACTERS_MAX: Final = 255
# Each character of a quoted key may be escaped.
_HEADER_CHARACTERS_MAX: Final = 2 * KEY_CHARACTERS_MAX + 2
# A longer value holds no preference that we know, and is ignored like any unknown one.
_PREFER_CHARACTERS_MAX: Final = 1_000
_PRINTABLE: Final = re.compile(r"[\x20-\x7e]+")
_QUOTED: Final = re.compile(r'"((?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"')
_WAIT: Final = re.compile(r'wait\s*=\s*"?([0-9]{1,9})"?', re.IGNORECASE)


class InvalidIdempotencyKey(MahjicError):
    """The header is present, but does not hold a valid key."""

    code = "invalid_idempotency_key"
    title = "The Idempotency-Key cannot be read"
    status = 400

    def __init__(self) -> None:
        super().__init__(
            f"Send one Idempotency-Key of 1 to {KEY_CHARACTERS_MAX} printable ASCII "
            "characters, bare or in double quotes. A UUID is a good choice."
        )


def read_idempotency_key(values: Sequence[str]) -> str | None:
    """Return the key in the header's values, or None without a header.

    A key in quotes (a structured field) and the same key without quotes are one key. Raises
    InvalidIdempotencyKey.
    """
    if not values:
        return None
    if len(values) > 1:
        raise InvalidIdempotencyKey
    text = values[0].strip()
    if len(text) > _HEADER_CHARACTERS_MAX:
        raise InvalidIdempotencyKey
    quoted = _QUOTED.fullmatch(text)
    key = re.sub(r"\\(.)", r"\1", quoted[1]) if quoted else text
    is_half_quoted = quoted is None and text.startswith('"')
    if is_half_quoted or len(key) > KEY_CHARACTERS_MAX or _PRINTABLE.fullmatch(key) is None:
        raise InvalidIdempotencyKey
    return key


def read_wait_s(values: Sequence[str], *, default_s: float, max_s: float) -> float:
    """Return how long the client wants to wait for ratings (RFC 7240), in seconds.

    `respond-async` alone is 0. With `wait`, it says what to do after the wait, which we do anyway.
    The first `wait` counts, and unreadable preferences are ignored, as the RFC says.
    """
    short = [value for value in values if len(value) <= _PREFER_CHARACTERS_MAX]
    preferences = [part.partition(";")[0].strip() for value in short for part in value.split(",")]
    waits = [wait[1] for each in preferences if (wait := _WAIT.fullmatch(each))]
    if waits:
        return min(float(waits[0]), max_s)
    is_async = any(each.lower() == "respond-async" for each in preferences)
    return 0.0 if is_async else default_s
