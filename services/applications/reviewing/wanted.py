"""Keeps which applications want advice, what was advised, and what became of them.

Advice and decision are kept side by side by ids, so that it is known how often they agree, also
after the application is erased.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Literal, TypeAlias

from services.accounts.ports import Connection
from services.applications.reviewing.advice import (
    Advice,
    NoAdvice,
    NoAdviceReason,
    advice_of,
    document_of,
)
from services.applications.told import Application
from shared.db.erasing import note_erased

ReviewDecision: TypeAlias = Literal["approved", "declined"]

# A process that asks and is killed keeps others from asking for so long.
ASKED_FOR: Final = timedelta(minutes=5)
TRIES_MAX: Final = 3
PASSING: Final[frozenset[NoAdviceReason]] = frozenset({"slow", "unreachable", "service_error"})

# Advice from before an answer came is no longer advice on the whole.
WANT: Final = """
INSERT INTO mahjic.application_advice (application_id, wanted_at) VALUES ($1, $2)
ON CONFLICT (application_id) DO UPDATE SET
    wanted_at = excluded.wanted_at, asked_until = NULL, tries = 0, settled_at = NULL,
    advice = NULL, no_advice = NULL
"""
TAKE: Final = """
UPDATE mahjic.application_advice SET asked_until = $2, tries = tries + 1
WHERE application_id = (
    SELECT wanted.application_id FROM mahjic.application_advice AS wanted
    JOIN mahjic.applications AS kept ON kept.application_id = wanted.application_id
    WHERE wanted.settled_at IS NULL AND kept.state IN ('sent', 'question')
        AND (wanted.asked_until IS NULL OR wanted.asked_until <= $1)
    ORDER BY wanted.wanted_at LIMIT 1 FOR UPDATE OF wanted SKIP LOCKED
)
RETURNING application_id, wanted_at, tries
"""
# Nothing if it was wanted anew, or is gone.
SETTLE: Final = """
UPDATE mahjic.application_advice SET settled_at = $3, advice = $4::text::jsonb, no_advice = $5
WHERE application_id = $1 AND wanted_at = $2
"""
READ: Final = """
SELECT settled_at, advice::text AS advice, no_advice, tries > 0 AS is_asked
FROM mahjic.application_advice
WHERE application_id = $1
"""
KEEP: Final = """
INSERT INTO mahjic.application_reviews
    (application_id, opinion, no_advice, was_asked, decision, decided_at)
VALUES ($1, $2, $3, $4, $5, $6)
"""


@dataclass(frozen=True, slots=True)
class GivenAdvice:
    """What an agent advised, or why not; neither if it has not answered, or was never asked."""

    advice: Advice | None = None
    no_advice: NoAdviceReason | None = None
    is_asked: bool = False


@dataclass(frozen=True, slots=True)
class TakenCase:
    """An application for which this process asks an agent now."""

    application_id: str
    wanted_at: datetime
    tries: int


async def want_advice(connection: Connection, application_id: str, now: datetime) -> None:
    """Have an agent asked about an application as it stands, once the transaction is committed."""
    await connection.execute(WANT, application_id, now)
    await note_erased(connection, "application_advice")


async def take_case(connection: Connection, now: datetime) -> TakenCase | None:
    """Take an application that wants advice; nobody else takes it meanwhile."""
    row = await connection.fetchrow(TAKE, now, now + ASKED_FOR)
    return None if row is None else TakenCase(*row)


async def settle_case(
    connection: Connection, case: TakenCase, found: Advice | NoAdvice, now: datetime
) -> None:
    """Keep what an agent said. What may pass is asked again later, a few times."""
    if isinstance(found, Advice):
        document = json.dumps(document_of(found))
        await connection.execute(SETTLE, case.application_id, case.wanted_at, now, document, None)
    elif found.why not in PASSING or case.tries >= TRIES_MAX:
        await connection.execute(SETTLE, case.application_id, case.wanted_at, now, None, found.why)


async def read_advice_of(connection: Connection, application_id: str) -> GivenAdvice:
    """Return what was advised on an application."""
    row = await connection.fetchrow(READ, application_id)
    if row is None or row["settled_at"] is None:
        return GivenAdvice(is_asked=row is not None and row["is_asked"])
    if row["advice"] is None:
        return GivenAdvice(no_advice=row["no_advice"], is_asked=True)
    document: dict[str, Any] = json.loads(row["advice"])
    return GivenAdvice(advice_of(document), is_asked=True)


async def keep_review(
    connection: Connection, application: Application, decision: ReviewDecision, now: datetime
) -> None:
    """Keep what was decided beside what was advised, in the transaction of the decision."""
    given = await read_advice_of(connection, application.application_id)
    opinion = None if given.advice is None else given.advice.opinion
    await connection.execute(
        KEEP,
        application.application_id,
        opinion,
        given.no_advice,
        bool(application.questions),
        decision,
        now,
    )
