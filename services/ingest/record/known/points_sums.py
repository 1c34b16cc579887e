"""Drops the warning about points that don't add up to zero, for sources where they need not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from services.ingest.claim.checks import POINTS_SUM
from services.ingest.record.judging.identified import Submission
from shared.log.postgres import Connection

READ_FREE: Final = """
SELECT slug FROM mahjic.points_sums WHERE slug = ANY($1::text[]) AND points_sum = 'any'
"""


async def fitting_warnings(
    connection: Connection, submissions: Sequence[Submission]
) -> Sequence[Submission]:
    """Return submissions without warnings that their sources have ended; asks only if one warns."""
    warned = {each.source for each in submissions if _warns(each)}
    if not warned:
        return submissions
    free = {row["slug"] for row in await connection.fetch(READ_FREE, sorted(warned))}
    return [_without(each) if each.source in free else each for each in submissions]


def _warns(submission: Submission) -> bool:
    return any(warning.code == POINTS_SUM for warning in submission.session.warnings)


def _without(submission: Submission) -> Submission:
    session = submission.session
    warnings = tuple(each for each in session.warnings if each.code != POINTS_SUM)
    return replace(submission, session=replace(session, warnings=warnings))
