"""What an agent may advise: data of one fixed shape, in which every quote is found again. Pure.

Whatever the agent was told to say by the text that it read, nothing but this comes through.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from shared.characters import forbidden_in_prose

Opinion: TypeAlias = Literal["looks_fine", "ask_first", "looks_wrong"]
# Why there is none. After the first three it is worth asking again.
NoAdviceReason: TypeAlias = Literal[
    "slow",
    "unreachable",
    "service_error",
    "refused",
    "cut_off",
    "too_long",
    "nonsense",
    "wrong_shape",
    "made_up_quotes",
]

WORDS_CHARACTERS_MAX: Final = 400
REASONS_MAX: Final = 8
QUESTIONS_MAX: Final = 5
# A shorter quote is found anywhere.
QUOTE_CHARACTERS_MIN: Final = 3

_Words: TypeAlias = Annotated[str, Field(min_length=1, max_length=WORDS_CHARACTERS_MAX)]
_PLAIN_QUOTES: Final = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")


class AdviceReason(BaseModel):
    """One reason, and the words of the application that it is about."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    reason: _Words = Field(repr=False)
    quote: Annotated[
        str,
        Field(
            min_length=QUOTE_CHARACTERS_MIN,
            max_length=WORDS_CHARACTERS_MAX,
            description="Words of the application, exactly as they stand there.",
            repr=False,
        ),
    ]


class AdviceDocument(BaseModel):
    """What the agent must answer with."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    opinion: Opinion
    reasons: Annotated[list[AdviceReason], Field(max_length=REASONS_MAX)]
    questions: Annotated[
        list[_Words],
        Field(max_length=QUESTIONS_MAX, description="What to ask the applicant, if anything."),
    ]


@dataclass(frozen=True, slots=True)
class Advice:
    """Advice whose quotes were found. `left_out` counts reasons whose quotes were not."""

    opinion: Opinion
    reasons: Sequence[AdviceReason] = field(repr=False)
    questions: Sequence[str] = field(repr=False)
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class NoAdvice:
    """There is no advice, and why."""

    why: NoAdviceReason


def read_advice(document: object, texts: Iterable[str]) -> Advice | NoAdvice:
    """Return the advice that a document is, given all texts that the agent was shown."""
    try:
        read = AdviceDocument.model_validate(document)
    except ValidationError:
        return NoAdvice("wrong_shape")
    said = [*read.questions, *(each.reason for each in read.reasons)]
    said += [each.quote for each in read.reasons]
    if any(forbidden_in_prose(each) is not None for each in said):
        return NoAdvice("wrong_shape")
    if not read.reasons and read.opinion != "looks_fine":
        return NoAdvice("wrong_shape")
    shown = [_as_compared(text) for text in texts]
    found = [each for each in read.reasons if _is_quoted(each.quote, shown)]
    if read.reasons and not found:
        return NoAdvice("made_up_quotes")
    return Advice(read.opinion, found, read.questions, len(read.reasons) - len(found))


def document_of(advice: Advice) -> dict[str, Any]:
    """Return advice as it is kept."""
    reasons = [each.model_dump() for each in advice.reasons]
    questions = list(advice.questions)
    return {
        "opinion": advice.opinion,
        "reasons": reasons,
        "questions": questions,
        "left_out": advice.left_out,
    }


def advice_of(document: dict[str, Any]) -> Advice:
    """Return advice that was kept."""
    reasons = [AdviceReason.model_validate(each) for each in document["reasons"]]
    return Advice(document["opinion"], reasons, document["questions"], document["left_out"])


def _is_quoted(quote: str, shown: Sequence[str]) -> bool:
    text = _as_compared(quote)
    return len(text) >= QUOTE_CHARACTERS_MIN and any(text in each for each in shown)


def _as_compared(text: str) -> str:
    """Return a text without what copying changes: case, spaces, line breaks, curly quotes."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().translate(_PLAIN_QUOTES).split())
