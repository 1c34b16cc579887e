"""A Reviewer that says what a test tells it to."""

from services.applications.reviewing.advice import Advice, NoAdvice, NoAdviceReason, read_advice
from services.applications.reviewing.case import ReviewCase


class ScriptedReviewer:
    """Answers with a document, or not at all, and remembers what it was shown."""

    def __init__(self) -> None:
        self.document: object = None
        self.why: NoAdviceReason | None = None
        self.shown: list[ReviewCase] = []

    async def review(self, case: ReviewCase) -> Advice | NoAdvice:
        self.shown.append(case)
        if self.why is not None:
            return NoAdvice(self.why)
        return read_advice(self.document, case.texts())
