"""The check of a Mahjic ID, which catches nearly every typing mistake without asking Mahjic.

An id is `MJ-` (`AN-` for anonymous players), seven characters and a check character.
"""

from typing import Final

ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PREFIXES: Final = ("MJ", "AN")

# Letters that look like digits are read as digits.
READ_AS_DIGITS: Final = str.maketrans("OIL", "011")


class MistypedId(ValueError):
    """The text is not a Mahjic ID: it has the wrong shape, or its check character does not fit."""


def is_mahjic_id(text: str) -> bool:
    """Return whether a text, as a person typed it, can be a Mahjic ID."""
    try:
        read_mahjic_id(text)
    except MistypedId:
        return False
    return True


def read_mahjic_id(text: str) -> str:
    """Return a Mahjic ID as Mahjic writes it.

    Small letters are fine; `O` is read as 0, `I` and `L` as 1. Raises MistypedId.
    """
    prefix, dash, rest = text.strip().upper().partition("-")
    characters = rest.translate(READ_AS_DIGITS)
    if not text.isascii() or prefix not in PREFIXES or not dash:
        raise MistypedId("A Mahjic ID starts with MJ-, like MJ-7K3Q9XZM.")
    if len(characters) != 8 or not set(characters) <= set(ALPHABET):
        raise MistypedId("A Mahjic ID has 8 characters after MJ-: digits, and any letters but U.")
    if check_character(characters[:7]) != characters[7]:
        raise MistypedId("The last character does not fit the others, so the ID is mistyped.")
    return f"{prefix}-{characters}"


def check_character(body: str) -> str:
    """Return the check character of the seven before it: Luhn's rule with 32 digits."""
    total = 0
    for place, character in enumerate(reversed(body)):
        value = ALPHABET.index(character) * (1 if place % 2 else 2)
        total += sum(divmod(value, 32))
    return ALPHABET[-total % 32]
