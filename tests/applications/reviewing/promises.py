"""What every Reviewer promises: the tests of an adapter are a subclass of these.

A subclass says in `advises` how its other side comes to give an answer, and in `failing` how it
fails.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from typing import ClassVar, Final

import pytest

from services.applications.reviewing.advice import Advice, NoAdvice, NoAdviceReason
from services.applications.reviewing.case import ReviewCase, case_of
from services.applications.reviewing.port import Reviewer
from tests.applications.applicants import an_application
from tests.mail.letters import START

QUOTED: Final = "on Tuesdays in the library"
FINE: Final = {
    "opinion": "looks_fine",
    "reasons": [{"reason": "They say when and where they play.", "quote": QUOTED}],
    "questions": [],
}
NO_SHAPES: Final[tuple[object, ...]] = (
    None,
    [],
    "looks_fine",
    {},
    FINE | {"opinion": "approve"},
    FINE | {"opinion": ["looks_fine"]},
    FINE | {"decision": "approved"},
    FINE | {"questions": ["x" * 401]},
    FINE | {"questions": ["?"] * 6},
    FINE | {"questions": [""]},
    FINE | {"questions": ["a\u202eb"]},
    FINE | {"questions": "none"},
    FINE | {"reasons": FINE["reasons"] * 9},  # type: ignore[operator]
    FINE | {"reasons": [{"reason": "x", "quote": "x", "html": "<b>"}]},
    FINE | {"reasons": [{"reason": "a\x00b", "quote": QUOTED}]},
    FINE | {"reasons": [{"reason": "No quote."}]},
    # What is to be held against somebody has a reason.
    FINE | {"opinion": "looks_wrong", "reasons": []},
    FINE | {"opinion": "ask_first", "reasons": []},
)

Failing = Callable[[], Awaitable[None]]


def the_case() -> ReviewCase:
    return case_of(an_application(at=START))


class ReviewerPromises(ABC):
    """The promises of the port."""

    # Each way in which its other side fails, by the name of a method, and what comes of it.
    FAILURES: ClassVar[dict[str, NoAdviceReason]]

    @abstractmethod
    def reviewer(self) -> Reviewer:
        """Return the adapter."""

    @abstractmethod
    def advises(self, document: object) -> None:
        """Let the other side answer with a document."""

    @abstractmethod
    def fails(self, how: str) -> None:
        """Let the other side fail in one of the ways of FAILURES."""

    async def test_advice_comes_through_as_it_was_given(self) -> None:
        self.advises(FINE | {"questions": ["How many tables?"]})
        advice = await self.reviewer().review(the_case())
        assert isinstance(advice, Advice)
        assert (advice.opinion, advice.questions, advice.left_out) == (
            "looks_fine",
            ["How many tables?"],
            0,
        )
        assert [(each.reason, each.quote) for each in advice.reasons] == [
            ("They say when and where they play.", QUOTED)
        ]

    async def test_a_quote_is_found_however_it_was_copied(self) -> None:
        self.advises(
            FINE | {"reasons": [{"reason": "Why.", "quote": "ON  tuesdays\nin the Library"}]}
        )
        assert isinstance(await self.reviewer().review(the_case()), Advice)

    async def test_reasons_with_quotes_that_nobody_wrote_are_left_out_and_counted(self) -> None:
        made_up = {"reason": "They admit it.", "quote": "we are a fake club"}
        self.advises(FINE | {"reasons": [made_up, *FINE["reasons"]]})
        advice = await self.reviewer().review(the_case())
        assert isinstance(advice, Advice)
        assert (len(advice.reasons), advice.left_out) == (1, 1)
        self.advises(FINE | {"opinion": "looks_wrong", "reasons": [made_up]})
        assert await self.reviewer().review(the_case()) == NoAdvice("made_up_quotes")

    @pytest.mark.parametrize("document", NO_SHAPES, ids=range(len(NO_SHAPES)))
    async def test_what_has_another_shape_is_no_advice(self, document: object) -> None:
        self.advises(document)
        assert await self.reviewer().review(the_case()) == NoAdvice("wrong_shape")

    async def test_whatever_goes_wrong_on_the_other_side_is_told_and_not_raised(self) -> None:
        for how, why in self.FAILURES.items():
            self.fails(how)
            assert await self.reviewer().review(the_case()) == NoAdvice(why), how
