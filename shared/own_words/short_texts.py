"""Reads what someone writes to a person who will decide: a few sentences. Pure."""

import unicodedata
from typing import Final

from shared.characters import forbidden_in_prose
from shared.errors import MahjicError

# Five sentences, which is what somebody who decides on many of them reads to the end.
SHORT_TEXT_CHARACTERS_MAX: Final = 500
_MISSING: Final = "There is no text. Write a sentence or two."
_WHAT_HAPPENED: Final = "There is no text. Write what happened, in a sentence or two."


class UnfitText(MahjicError):
    """The text is missing, too long, or has something invisible in it."""

    code = "unfit_text"
    title = "This text cannot be sent"
    status = 422


def read_short_text(text: str) -> str:
    """Return a text in its one form: NFC, with plain line breaks. Raises UnfitText."""
    return read_prose(text, SHORT_TEXT_CHARACTERS_MAX, missing=_WHAT_HAPPENED)


def read_prose(text: str, characters_max: int, *, missing: str = _MISSING) -> str:
    """Return a text of some length in its one form. Raises UnfitText."""
    # Composing takes longer the more marks there are, so nothing far too long is tried.
    if len(text) > 4 * characters_max:
        raise _too_long(characters_max)
    read = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    if len(read) > characters_max:
        raise _too_long(characters_max)
    if not read:
        raise UnfitText(missing)
    if (odd := forbidden_in_prose(read)) is not None:
        raise UnfitText(
            f"There is an invisible character in this text ({odd}). Type it again instead of "
            "pasting it."
        )
    return read


def _too_long(characters_max: int) -> UnfitText:
    return UnfitText(f"This text has more than {characters_max} characters. Shorten it.")
