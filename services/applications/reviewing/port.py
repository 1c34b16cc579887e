"""What is asked of whoever advises: an opinion on one application, or why there is none."""

from typing import Protocol

from services.applications.reviewing.advice import Advice, NoAdvice
from services.applications.reviewing.case import ReviewCase


class Reviewer(Protocol):
    """Gives advice, and does nothing else.

    Whatever goes wrong on its side comes back as NoAdvice, within its own time; nothing is raised.
    """

    async def review(self, case: ReviewCase) -> Advice | NoAdvice: ...
