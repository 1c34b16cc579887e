"""How often an agent's advice and the decision of a person agreed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from services.applications.reviewing.advice import Opinion

READ: Final = """
SELECT opinion, no_advice, was_asked, decision, count(*) AS times
FROM mahjic.application_reviews GROUP BY opinion, no_advice, was_asked, decision
ORDER BY opinion, no_advice, was_asked, decision
"""


@dataclass(frozen=True, slots=True)
class ReviewCount:
    """How often one advice met one decision. Without `opinion` there was none, and why."""

    opinion: Opinion | None
    no_advice: str | None
    was_asked: bool
    decision: str
    times: int

    @property
    def agreed(self) -> bool | None:
        """Whether the person did what was advised; None without advice."""
        match self.opinion:
            case "looks_fine":
                return self.decision == "approved" and not self.was_asked
            case "looks_wrong":
                return self.decision == "declined"
            case "ask_first":
                return self.was_asked
            case _:
                return None


async def read_reviews(pool: asyncpg.Pool) -> Sequence[ReviewCount]:
    """Return how often each advice met each decision, ever."""
    return [ReviewCount(*row) for row in await pool.fetch(READ)]
