"""What of an application is shown to an agent: its words as JSON, without who wrote them. Pure.

The applicant's name and address are not among the fields. Where the applicant wrote them into other
texts they are taken out: the name whole, in any case, with or without accents, spaces and
punctuation in it; each of its longer words; and every address, whosever it is. What somebody writes
so that only a person reads a name in it (A-l-i-c-e) is not found.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from services.applications.told import Application

TEXT_CHARACTERS_MAX: Final = 2_000
# The newest tell most.
QUESTIONS_MAX: Final = 10
NAME: Final = "[name]"
ADDRESS: Final = "[address]"
# Initials and "of" are in every text.
NAME_WORD_CHARACTERS_MIN: Final = 3

_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = "[\u0300-\u036f]*"
_BETWEEN: Final = r"[\W_]{0,3}"
# Bounded on the left, so that a long text without an @-sign is walked through once.
_ANY_ADDRESS: Final = re.compile(
    r"(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]{1,64}\s{0,2}(?:@|\(at\)|\[at\])\s{0,2}[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ReviewCase:
    """What an agent is shown. Nothing in it says who applied."""

    document: Mapping[str, Any] = field(repr=False)

    def texts(self) -> Iterator[str]:
        """Yield every text that is shown."""
        yield from _texts_in(self.document)


def case_of(application: Application) -> ReviewCase:
    """Return what an agent is shown of an application."""
    text = application.text
    hide = _Hiding(text.applicant, text.address)
    asked = application.questions[-QUESTIONS_MAX:]
    return ReviewCase(
        {
            "organization": hide(text.organization),
            "type": text.type,
            "wished_slug": hide(text.wished_slug),
            "site": None if text.site is None else hide(text.site),
            "region": text.region,
            "how_results_are_kept": hide(text.keeping),
            "expected_players": text.players,
            "expected_nights_a_year": text.nights,
            "description": hide(text.description),
            "questions": [
                {
                    "question": hide(each.question),
                    "answer": None if each.answer is None else hide(each.answer),
                }
                for each in asked
            ],
        }
    )


class _Hiding:
    """Takes a name and addresses out of texts, then cuts them."""

    def __init__(self, name: str, address: str) -> None:
        words = _WORD.findall(unicodedata.normalize("NFC", name))
        patterns = [_whole(words), _whole(words[::-1])]
        patterns += [_alone(each) for each in words if len(each) >= NAME_WORD_CHARACTERS_MIN]
        self._name = re.compile("|".join(patterns), re.IGNORECASE) if words else None
        self._address = re.compile(re.escape(address), re.IGNORECASE)

    def __call__(self, text: str) -> str:
        hidden = _ANY_ADDRESS.sub(ADDRESS, self._address.sub(ADDRESS, text))
        if self._name is not None:
            hidden = self._name.sub(NAME, _taken_apart(hidden))
        return unicodedata.normalize("NFC", hidden)[:TEXT_CHARACTERS_MAX]


def _whole(words: list[str]) -> str:
    """Return a pattern for a name, however it is written together."""
    pattern = _BETWEEN.join(map(_letters, words))
    is_short = len(words) == 1 or sum(map(len, words)) < NAME_WORD_CHARACTERS_MIN
    # One word of such letters can be part of others. Where nobody writes spaces, it stands in them.
    return _bounded(pattern) if is_short and _bare("".join(words)).isascii() else pattern


def _alone(word: str) -> str:
    return _bounded(_letters(word))


def _bounded(pattern: str) -> str:
    return rf"(?<!\w)(?:{pattern})(?!\w)"


def _letters(word: str) -> str:
    """Return a pattern for a word, also with accents that the name doesn't have."""
    return "".join(re.escape(each) + _MARKS for each in _bare(word))


def _bare(word: str) -> str:
    return "".join(each for each in _taken_apart(word) if not unicodedata.combining(each))


def _taken_apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts_in(each)
