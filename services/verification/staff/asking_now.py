"""Has Stripe asked now how everything that is open stands, and tells what came of it.

The workers ask; whoever wants to know waits for them.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from services.ingest.players.grouped import find_group
from services.verification.room import Database
from services.verification.work.reconciling import list_open
from shared.errors import MahjicError

POLL_S: Final = 0.25
# A worker looks for work every two seconds, and an answer of Stripe's takes at most 20.
PATIENCE_S: Final = 60.0

OF_PERSON: Final = """
SELECT enrollment_id FROM mahjic.enrollments
WHERE player_id = ANY($1) AND account_id IS NOT NULL ORDER BY enrollment_id
"""
# At once, also what waits because Stripe was away or refused something.
LOOK_NOW: Final = """
UPDATE mahjic.enrollments SET look_due_at = $2, look_taken = NULL, look_tries = 0
WHERE enrollment_id = ANY($1)
"""
LEFT: Final = """
SELECT count(*) AS left, COALESCE(bool_or(look_taken > $3), false) AS is_refused,
    COALESCE(bool_or(look_tries > 1), false) AND EXISTS (
        SELECT FROM mahjic.verification_place WHERE away_since IS NOT NULL
    ) AS is_away
FROM mahjic.enrollments WHERE enrollment_id = ANY($1) AND look_due_at <= $2
"""
STANDING: Final = """
WITH own AS (
    SELECT enrollment_id, player_id FROM mahjic.enrollments WHERE enrollment_id = ANY($1)
)
SELECT own.player_id, 'verified' AS what, mahjic.survivor(own.player_id) AS id,
    CASE WHEN mahjic.survivor(own.player_id) IN (
        SELECT read.survivor_id FROM mahjic.verified_players
        JOIN mahjic.read_players AS read USING (player_id)
    ) THEN 'yes' ELSE 'no' END AS stands
FROM own
UNION
SELECT own.player_id, 'payment', invoice_id, concat_ws(', ',
    'paid until ' || to_char(period_end AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
    CASE WHEN refunded_cents > 0 THEN
        to_char(refunded_cents / 100.0, 'FM9999999990.00') || ' given back' END,
    CASE WHEN dispute <> 'none' THEN 'dispute ' || dispute END)
FROM own JOIN mahjic.payments USING (enrollment_id)
UNION
SELECT own.player_id, 'subscription', subscription_id,
    status || CASE WHEN renews THEN ', renews' ELSE '' END
FROM own JOIN mahjic.subscriptions USING (enrollment_id)
UNION
SELECT own.player_id, 'check', COALESCE(session_id, key), concat_ws(', ', state, error_code,
    CASE WHEN passed_at IS NOT NULL THEN 'counts' WHEN held_for IS NOT NULL THEN 'held' END)
FROM own JOIN mahjic.identity_checks USING (enrollment_id)
"""
# A worker that only takes something takes it for less, and what Stripe refused waits longer.
REFUSED_FOR: Final = timedelta(minutes=5)


class NobodyAsksStripe(MahjicError):
    """Nothing was asked at Stripe for a minute: no worker runs."""

    code = "nobody_asks_stripe"
    title = "Nobody asks Stripe"
    exit_code = 75


class StripeGivesNoAnswer(MahjicError):
    """Stripe is away, or refuses what it is asked. What waits is asked again by itself."""

    code = "stripe_gives_no_answer"
    title = "Stripe gives no answer"
    exit_code = 75


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing that stands otherwise than before; None where it was not on file."""

    player_id: str
    what: str
    object_id: str
    before: str | None
    now: str


@dataclass(frozen=True, slots=True)
class AskedNow:
    """How many enrollments Stripe was asked about, and what was found."""

    enrollments: int
    changes: Sequence[Changed]


async def ask_now(
    database: asyncpg.Pool,
    player_id: str | None,
    now: Callable[[], datetime],
    progress: Callable[[int, int], None],
    *,
    patience_s: float = PATIENCE_S,
) -> AskedNow:
    """Have Stripe asked about one person, or about everything that is open, and wait for it.

    Raises UnknownPlayer, NobodyAsksStripe or StripeGivesNoAnswer.
    """
    asked_at = now()
    about = await _about(database, player_id, asked_at)
    before = await _standing(database, about)
    await database.execute(LOOK_NOW, about, asked_at)
    await _until_asked(database, about, asked_at, now, progress, patience_s=patience_s)
    after = await _standing(database, about)
    changes = [
        Changed(*which, before=before.get(which), now=stands)
        for which, stands in after.items()
        if before.get(which) != stands
    ]
    return AskedNow(len(about), changes)


async def _about(
    database: asyncpg.Pool, player_id: str | None, asked_at: datetime
) -> Sequence[str]:
    if player_id is None:
        return await list_open(database, asked_at)
    async with database.acquire() as connection:
        group = await find_group(connection, player_id)
        return [row[0] for row in await connection.fetch(OF_PERSON, group.members)]


async def _until_asked(
    database: Database,
    about: Sequence[str],
    asked_at: datetime,
    now: Callable[[], datetime],
    progress: Callable[[int, int], None],
    *,
    patience_s: float,
) -> None:
    """Wait until a worker has asked about all of them."""
    left, moved_s = len(about), time.monotonic()
    while True:
        row = await database.fetchrow(LEFT, about, asked_at, now() + REFUSED_FOR)
        assert row is not None, "An aggregate has a row."
        if row["left"] < left:
            left, moved_s = row["left"], time.monotonic()
        progress(len(about) - left, len(about))
        if not left:
            return
        if row["is_refused"] or row["is_away"]:
            raise StripeGivesNoAnswer(
                f"{left} of {len(about)} could not be asked about: Stripe "
                f"{'refuses it' if row['is_refused'] else 'is away'}. It is asked again by itself; "
                "the log of `mahjic serve`, or of `mahjic verification work`, says more."
            )
        if time.monotonic() - moved_s > patience_s:
            raise NobodyAsksStripe(
                f"For {patience_s:.0f} s nothing was asked. Start `mahjic serve`, or in "
                "Kafka mode `mahjic verification work`, with the settings MAHJIC_STRIPE_...; what "
                "is to be asked stays on record, and is asked then."
            )
        await asyncio.sleep(POLL_S)


async def _standing(database: Database, about: Sequence[str]) -> Mapping[tuple[str, str, str], str]:
    rows = await database.fetch(STANDING, about)
    found = {(row["player_id"], row["what"], row["id"]): row["stands"] for row in rows}
    return dict(sorted(found.items()))
