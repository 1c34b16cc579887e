"""Reads, checks and writes the ids of spec: players, sessions, sources and API keys.

Pure: randomness and time are handed in. Player ids are `MJ-` (or `AN-` for anonymous players),
seven random Crockford base-32 characters and one check character (Luhn mod 32).
"""

import re
from typing import Final

CROCKFORD: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
BOB: Final = "BOB"
PLAYER_ID_SPACE: Final = 32**7
SESSION_ID_PATTERN: Final = r"^ses_[0-7][0-9A-HJKMNP-TV-Z]{25}$"
PLAYER_ID_PATTERN: Final = r"^(MJ|AN)-[0-9A-HJKMNP-TV-Z]{8}$"
SLUG_PATTERN: Final = r"^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$"
# What a key begins with: one of a live service, and one of a sandbox.
LIVE_KEY: Final = "mjk_"
SANDBOX_KEY: Final = "mjt_"
# As a part of patterns that find any key.
ANY_KEY: Final = f"(?:{LIVE_KEY}|{SANDBOX_KEY})"
# For ids as people send them. What is longer is not one, however it is mistyped.
PLAYER_ID_CHARACTERS_MAX: Final = 40
SESSION_ID_CHARACTERS_MAX: Final = 64

# Letters that look like digits are read as digits.
READ_AS_DIGITS: Final = str.maketrans({"O": "0", "I": "1", "L": "1"})

_VALUE: Final = {character: value for value, character in enumerate(CROCKFORD)}
_SESSION_ID: Final = re.compile(SESSION_ID_PATTERN)
_SLUG: Final = re.compile(SLUG_PATTERN)
_API_KEY: Final = re.compile(rf"{ANY_KEY}[0-9A-Za-z]{{43}}")


class MistypedPlayerIdError(ValueError):
    """A text that is no player id: the wrong shape, or the check character does not fit."""


def player_id(prefix: str, number: int) -> str:
    """Return the player id for a random `number` below 32**7; `prefix` is `MJ` or `AN`."""
    assert prefix in {"MJ", "AN"}
    assert 0 <= number < PLAYER_ID_SPACE
    body = _base32(number, 7)
    return f"{prefix}-{body}{check_character(body)}"


def read_player_id(text: str) -> str:
    """Return the canonical form of a player id as a person may type it.

    Case does not matter; `O` is read as 0, `I` and `L` as 1. Raises MistypedPlayerIdError.
    """
    prefix, dash, body = text.strip().upper().partition("-")
    body = body.translate(READ_AS_DIGITS)
    if prefix not in {"MJ", "AN"} or not dash:
        raise MistypedPlayerIdError(
            "Write a Mahjic ID here, not a name or an address. It starts with MJ- and has 8 "
            "characters after it, like MJ-7K3Q9XZM."
        )
    # Capitals of letters from elsewhere can look like ours: the small dotless i would read as 1.
    if not text.isascii() or len(body) != 8 or any(each not in _VALUE for each in body):
        raise MistypedPlayerIdError(
            "A Mahjic ID has 8 characters after MJ-: digits, and any letters but U."
        )
    if check_character(body[:7]) != body[7]:
        raise MistypedPlayerIdError(
            "The last character does not fit the others, so the id is mistyped. Check it again."
        )
    return f"{prefix}-{body}"


def check_character(body: str) -> str:
    """Return the Luhn mod 32 check character, doubling the rightmost of `body` first."""
    total = 0
    for place, character in enumerate(reversed(body)):
        value = _VALUE[character] * (2 if place % 2 == 0 else 1)
        total += value // 32 + value % 32
    return CROCKFORD[-total % 32]


def session_id(milliseconds: int, randomness: int) -> str:
    """Return `ses_` and the ULID of a Unix time in milliseconds and 80 random bits."""
    assert 0 <= milliseconds < 1 << 48
    assert 0 <= randomness < 1 << 80
    return f"ses_{_base32(milliseconds << 80 | randomness, 26)}"


def is_session_id(text: str) -> bool:
    """Return whether a text has the shape of a session id."""
    return _SESSION_ID.fullmatch(text) is not None


def is_slug(text: str) -> bool:
    """Return whether a text can name a source: small letters, digits and dashes, at most 64."""
    return _SLUG.fullmatch(text) is not None


def api_key(random_bytes: bytes, *, is_of_sandbox: bool = False) -> str:
    """Return the API key that 32 random bytes make: its beginning and 43 characters of base 62."""
    assert len(random_bytes) == 32
    number = int.from_bytes(random_bytes, "big")
    characters = []
    for _ in range(43):
        number, digit = divmod(number, 62)
        characters.append(BASE62[digit])
    return (SANDBOX_KEY if is_of_sandbox else LIVE_KEY) + "".join(reversed(characters))


def is_api_key(text: str) -> bool:
    """Return whether a text has the shape of an API key, of a live service or of a sandbox."""
    return _API_KEY.fullmatch(text) is not None


def is_sandbox_key(text: str) -> bool:
    """Return whether an API key is for sandboxes."""
    return text.startswith(SANDBOX_KEY)


def _base32(number: int, length: int) -> str:
    characters = []
    for _ in range(length):
        number, digit = number >> 5, number & 31
        characters.append(CROCKFORD[digit])
    return "".join(reversed(characters))
