"""Reads what someone writes to a person who will decide: a few sentences. Pure."""

import unicodedata
from typing import Final

from shared.characters import forbidden_in_prose
from shared.errors import MahjicError

# Five sentences, which is what somebody who decides on many of them reads to the end.
SHORT_TEXT_CHARACTERS_MAX: Final = 500


class UnfitText(MahjicError):
    """The text is missing, too long, or has something invisible in it."""

    code = "unfit_text"
    title = "This text cannot be sent"
    status = 422


def read_short_text(text: str) -> str:
    """Return a text in its one form: NFC, with plain line breaks. Raises UnfitText."""
    # Composing takes longer the more marks there are, so nothing far too long is tried.
    if len(text) > 4 * SHORT_TEXT_CHARACTERS_MAX:
        raise _too_long()
    read = unicodedata.normalize("NFC", text.replace("\r\n", "\n")).strip()
    if len(read) > SHORT_TEXT_CHARACTERS_MAX:
        raise _too_long()
    if not read:
        raise UnfitText("There is no text. Write what happened, in a sentence or two.")
    if (odd := forbidden_in_prose(read)) is not None:
        raise UnfitText(
            f"There is an invisible character in this text ({odd}). Type it again instead of "
            "pasting it."
        )
    return read


def _too_long() -> UnfitText:
    return UnfitText(f"This text has more than {SHORT_TEXT_CHARACTERS_MAX} characters. Shorten it.")
