"""Which characters a text from people may contain, with one rule wherever text comes in. Pure.

* A **label** is one line that others read: a name, nickname, ref, the name of a source, what is
  searched. Nothing in it is invisible: no control, direction or other format character, no blank
  letter, no half of a character, no noncharacter, and none that only one vendor can draw.
* **Prose** is a label with line breaks and tabs: a note, a file of scores.
* A **file** is a table that another program wrote. Text in a cell that is never read does no harm;
  only what no text format allows is refused: controls, halves, noncharacters.

The joiners of emoji, Persian and Hindi are part of a label. So is a character that this Python
doesn't know yet: most are emoji and letters of the last years. What a label holds every file can
hold, so what was accepted can be given out and sent again.
"""

import re
import unicodedata
from typing import Final

# Control and format characters, halves of characters, what only one vendor can draw, and the two
# line breaks that hardly any program treats as such.
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
# Letters and symbols that are drawn as nothing.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_JOINERS: Final = frozenset("\u200c\u200d")
_WITHOUT_BREAKS: Final = dict.fromkeys(map(ord, "\t\n\r"))
_WORDS: Final = ("CJK UNIFIED", "CJK COMPATIBILITY IDEO", "HIRAGANA", "KATAKANA", "HANGUL SYL")
_WITHOUT_JOINERS: Final = dict.fromkeys(map(ord, _JOINERS))
# Noncharacters are the last two of each plane, and a block that Unicode set aside (23.7).
_NEVER_TEXT: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
    + "]"
)


def forbidden_in_label(text: str) -> str | None:
    """Return the first character that a label must not hold, as U+202E; None without one."""
    if text.isascii() and text.isprintable():  # Nearly always, and much quicker.
        return None
    return next((_code(each) for each in text if _is_unseen(each)), None)


def forbidden_in_prose(text: str) -> str | None:
    """Return the first character that prose must not hold; None without one."""
    return forbidden_in_label(text.translate(_WITHOUT_BREAKS))


def forbidden_in_file(text: str) -> str | None:
    """Return the first character that a text file must not hold; None without one."""
    found = _NEVER_TEXT.search(text)
    return None if found is None else _code(found[0])


def is_word(text: str) -> bool:
    """Return whether a text is one character that can be a word in Chinese, Japanese or Korean."""
    return len(text) == 1 and unicodedata.name(text, "").startswith(_WORDS)


def without_joiners(text: str) -> str:
    """Return a text without its invisible characters, to compare it with others."""
    return text.translate(_WITHOUT_JOINERS)


def has_blank(text: str) -> bool:
    """Return whether a letter of a text is drawn as nothing."""
    return not _BLANK.isdisjoint(text)


def _is_unseen(character: str) -> bool:
    if character in _JOINERS:
        return False
    if character in _BLANK or unicodedata.category(character) in _UNSEEN:
        return True
    return _NEVER_TEXT.match(character) is not None


def _code(character: str) -> str:
    return f"U+{ord(character):04X}"
