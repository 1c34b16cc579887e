"""Reads the name under which a player wants to be seen, or says what is wrong with it. Pure.

Strangers read these names beside ratings, on boards, pages and pictures. So a name must look like
what it is: one script in each word, nothing invisible, no letter in disguise, and nothing that
could be taken for a Mahjic ID or an address. Which characters belong to which script is told by
`fontTools.unicodedata`, which keeps the tables of the newest Unicode as plain functions, and which
letters may be joined by `idna`. (`regex` has the scripts too, but has to be asked about each of 170
in turn; the tables of `confusable_homoglyphs` have stood still since early 2024.)
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

from fontTools.unicodedata import script_extension
from idna import IDNAError
from idna.core import valid_contextj

from shared.characters import forbidden_in_label
from shared.errors import MahjicError

NAME_CHARACTERS_MIN: Final = 2
NAME_CHARACTERS_MAX: Final = 40
# What is composed here takes up to four characters to type. Putting a flood of marks in order
# takes longer the longer it is, so nothing longer is tried.
TYPED_CHARACTERS_MAX: Final = 4 * NAME_CHARACTERS_MAX
# A pointed Hebrew letter has three. More of them grow into the lines above and below.
MARKS_MAX: Final = 3
# What Unicode calls marks that strike a letter out.
_OVERLAY: Final = 1

Wrong: TypeAlias = Literal[
    "too_short",
    "too_long",
    "forbidden_character",
    "letter_in_disguise",
    "too_many_marks",
    "mixed_scripts",
    "looks_like_an_id",
    "looks_like_an_address",
]

_SPACES: Final = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
# They only say whether a symbol is drawn in color; phones put them in by themselves.
_IN_COLOR: Final = re.compile("(?<=[\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]")
_OTHER_VARIANT: Final = re.compile("[\ufe00-\ufe0f\u180b-\u180d\u180f\U000e0100-\U000e01ef]")
_JOINER: Final = re.compile("[\u200c\u200d]")
# Letters that are drawn in a frame, a circle, small, wide or in another typeface.
_DISGUISES: Final = (
    "<font>",
    "<wide>",
    "<narrow>",
    "<circle>",
    "<square>",
    "<super>",
    "<sub>",
    "<small>",
    "<fraction>",
)
_ANY_SCRIPT: Final = frozenset({"Zyyy", "Zinh", "Zzzz"})
# Written together by those who write them (UTS 39, 5.1).
_TOGETHER: Final = {
    "Hani": frozenset({"Hani", "Jpan", "Kore", "Hanb"}),
    "Hira": frozenset({"Hira", "Jpan"}),
    "Kana": frozenset({"Kana", "Jpan"}),
    "Hang": frozenset({"Hang", "Kore"}),
    "Bopo": frozenset({"Bopo", "Hanb"}),
}
# The two letters before an id, and capitals of other scripts that look the same.
# Cyrillic, Greek, Cherokee, Lisu and Coptic.
_M: Final = "[M\u041c\u039c\u13b7\ua4df\u03fa\u2c98]"
_J: Final = "[J\u0408\u037f\u13ab\ua4d9]"
_A: Final = "[A\u0410\u0391\u13aa\ua4ee\u2c80]"
_N: Final = "[N\u039d\ua4e0\u2c9a]"
_BEGINNING: Final = f"(?:{_M}{_J}|{_A}{_N})"
_SIGN: Final = r"[^\W_]"
_NO_SIGN: Final = r"[\W_]"
_DASH: Final = r"[-_.:#\u2010-\u2015\u2212\u30fc~\u00b7]"
# Also without a digit: nobody is called MJ-, but there are people called An-Margriet.
_ID_WITH_DASH: Final = re.compile(
    rf"(?<!{_SIGN}){_M}{_J}\s?{_DASH}\s?{_SIGN}{{4}}{_NO_SIGN}?{_SIGN}{{4}}(?!{_SIGN})"
)
_ID_WITH_DIGIT: Final = re.compile(
    rf"(?<!{_SIGN}){_BEGINNING}{_NO_SIGN}{{0,3}}"
    rf"(?=\D{{0,8}}\d){_SIGN}{{4}}{_NO_SIGN}?{_SIGN}{{4}}(?!{_SIGN})"
)
_ONLY_AN_ID: Final = re.compile(rf"{_BEGINNING}(?=\D*\d){_SIGN}{{8}}")
_ADDRESS: Final = re.compile(
    r"@|://|//|\bwww[.。]|[^\W_]{2,}[.。][^\W\d_]{2,}|\bmailto:", re.IGNORECASE
)


class UnfitName(MahjicError):
    """The text can't be a public name; the words say what is wrong with it, and what to do."""

    code = "unfit_name"
    title = "This cannot be a public name"
    status = 422

    def __init__(self, wrong: Wrong, detail: str) -> None:
        super().__init__(detail, extra={"wrong": wrong})
        self.wrong: Wrong = wrong


def read_public_name(text: str) -> str:
    """Return a name in its one form: NFC, with single spaces between words. Raises UnfitName."""
    if len(text) > TYPED_CHARACTERS_MAX:
        raise _too_long()
    name = _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip(" \t\r\n")
    name = _IN_COLOR.sub("", name)
    if len(name) > NAME_CHARACTERS_MAX:
        raise _too_long()
    _check_seen(name)
    _check_looks(name)
    _check_plain(name)
    _check_marks(name)
    _check_length(name)
    for word in name.split():
        _check_script(word)
    return name


def _too_long() -> UnfitName:
    return UnfitName(
        "too_long", f"A public name has at most {NAME_CHARACTERS_MAX} characters. Shorten it."
    )


def _check_length(name: str) -> None:
    """Check that a name has enough characters that stand by themselves, and a letter."""
    standing = sum(not _is_mark(each) and each != " " for each in name)
    if standing < NAME_CHARACTERS_MIN:
        raise UnfitName(
            "too_short",
            f"A public name has at least {NAME_CHARACTERS_MIN} characters. Write more of it.",
        )
    if not any(unicodedata.category(each)[0] == "L" for each in name):
        raise UnfitName("too_short", "A public name has letters in it. Write your name in letters.")


def _check_seen(name: str) -> None:
    """Check that every character is seen, or needed to spell the word."""
    code = forbidden_in_label(name) or _first_idle(name)
    if code is not None:
        raise UnfitName(
            "forbidden_character",
            f"There is an invisible character in this name ({code}). Type the name again "
            "instead of pasting it.",
        )


def _check_plain(name: str) -> None:
    """Check that no letter or digit is drawn as something else."""
    for each in name:
        if (plain := _plain(each)) is not None:
            what_to_do = f'Write "{plain}" instead.' if plain else "Write plain letters instead."
            raise UnfitName(
                "letter_in_disguise", f'"{each}" is a letter or digit in disguise. {what_to_do}'
            )


def _first_idle(name: str) -> str | None:
    """Return the first character that chooses or joins letters where there is nothing to join."""
    found = _OTHER_VARIANT.search(name)
    for joiner in _JOINER.finditer(name) if found is None else ():
        if not _joins(name, joiner.start()):
            found = joiner
            break
    return None if found is None else f"U+{ord(found[0]):04X}"


def _joins(name: str, place: int) -> bool:
    # Persian and Hindi cannot be spelled without them (RFC 5892, A.1 and A.2).
    try:
        return valid_contextj(name, place)
    except (IDNAError, ValueError):
        return False


def _plain(character: str) -> str | None:
    """Return what to write instead of a letter in disguise, if we know it; None if it is none."""
    if character.isascii():
        return None
    told = unicodedata.decomposition(character)
    if told.startswith(_DISGUISES):
        return unicodedata.normalize("NFKC", character)
    category = unicodedata.category(character)
    is_letter = category == "So" and " LETTER " in f"{unicodedata.name(character, '')} "
    return "" if is_letter or category == "Me" else None


def _check_marks(name: str) -> None:
    """Check that marks stand on letters or digits, few on each, and none twice."""
    for base, marks in _marked(name):
        if unicodedata.category(base)[0] not in "LMN":
            raise UnfitName(
                "too_many_marks",
                "There is an accent or other mark without a letter under it. Take it out.",
            )
        is_struck_out = any(unicodedata.combining(each) == _OVERLAY for each in marks)
        if is_struck_out or len(marks) > MARKS_MAX or len(set(marks)) < len(marks):
            raise UnfitName(
                "too_many_marks",
                "There are too many accents or other marks on one letter. Take some of them out.",
            )


def _marked(name: str) -> Iterator[tuple[str, str]]:
    """Yield what marks stand on, and the marks. Joiners are in between."""
    base, marks = " ", ""
    for each in _JOINER.sub("", name):
        if _is_mark(each):
            marks += each
            continue
        if marks:
            yield base, marks
        base, marks = each, ""
    if marks:
        yield base, marks


def _is_mark(character: str) -> bool:
    return unicodedata.category(character) in {"Mn", "Me"}


def _check_script(word: str) -> None:
    """Check that one script has all letters of a word."""
    possible: frozenset[str] | None = None
    for each in word:
        scripts = frozenset(script_extension(each))
        if scripts & _ANY_SCRIPT:
            continue
        own = frozenset().union(*(_TOGETHER.get(script, {script}) for script in scripts))
        possible = own if possible is None else possible & own
        if not possible:
            raise UnfitName(
                "mixed_scripts",
                f'"{each}" is from another alphabet than the letters before it in "{word}". '
                "Write each word in one alphabet.",
            )


def _check_looks(name: str) -> None:
    """Check that nobody could take a name, or a part of it, for an id or an address."""
    compared = unicodedata.normalize("NFKD", name)
    if _ADDRESS.search(unicodedata.normalize("NFC", compared)):
        raise UnfitName(
            "looks_like_an_address",
            "This looks like an email or web address. Write a name; put a space after a period, "
            "as in J. R. Smith.",
        )
    signs = "".join(each for each in compared if not _is_mark(each)).upper()
    squeezed = re.sub(_NO_SIGN, "", signs)
    if (
        _ID_WITH_DASH.search(signs)
        or _ID_WITH_DIGIT.search(signs)
        or _ONLY_AN_ID.fullmatch(squeezed)
    ):
        raise UnfitName(
            "looks_like_an_id",
            "This looks like a Mahjic ID, which everyone has beside the name anyway. Write a name.",
        )
