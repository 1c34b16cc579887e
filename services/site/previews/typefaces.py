"""Which texts a typeface can show, how wide they are, and how to make them fit. Pure.

A character that a font lacks would vanish without a word, or show as an empty box. So a text that
can't be shown whole isn't shown: something else, in plain letters, takes its place.
"""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ELLIPSIS: Final = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True)
class Typeface:
    """The width of each character that a font can show, by its number."""

    family: str
    units_per_em: int
    widths: Mapping[int, int]

    def can_show(self, text: str) -> bool:
        """Return whether every character of a text is seen, and there is something to see."""
        return bool(text.strip()) and all(ord(each) in self.widths for each in text)

    def width(self, text: str, size: float) -> float:
        """Return how wide a text is, without what kerning brings together."""
        return sum(self.widths[ord(each)] for each in text) * size / self.units_per_em


@dataclass(frozen=True, slots=True)
class Typefaces:
    """The typefaces of previews: one for names and ratings, one for the words below them."""

    display: Typeface
    text: Typeface


@dataclass(frozen=True, slots=True)
class FittingText:
    """A text that can be shown, in the size in which it fits."""

    text: str
    size: float


def fitting(
    text: str, *, instead: str, face: Typeface, width: float, largest: float, smallest: float
) -> FittingText:
    """Return a text as large as it fits into a width, cut if it doesn't fit in the smallest size.

    If the typeface can't show it, it is `instead`, which must be in plain letters.
    """
    # Letters with their marks in one piece, as fonts have them.
    text = unicodedata.normalize("NFC", text)
    if not face.can_show(text):
        text = instead
    size = largest * width / max(face.width(text, largest), 1)
    if size >= smallest:
        return FittingText(text, min(largest, size))
    return FittingText(_cut(text, face, width, smallest), smallest)


def _cut(text: str, face: Typeface, width: float, size: float) -> str:
    """Return as much of a text as fits, and an ellipsis."""
    left = width - face.width(ELLIPSIS, size)
    kept = 0
    for character in text:
        left -= face.width(character, size)
        if left < 0:
            break
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS
