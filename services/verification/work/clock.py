"""Does what time brings: ends what has ended, and looks after whatever nobody told us of.

It looks once a minute, and catches up after any standstill. Any number of processes may do so.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final, NoReturn

import structlog

from services.verification.leaving import close_left, sweep_hashes
from services.verification.room import VerificationRoom
from services.verification.settling import settle
from services.verification.stripe.inbox import sweep_events
from services.verification.work.checked import redact_old_checks
from services.verification.work.following import follow_people
from services.verification.work.queue import sweep_requests
from services.verification.work.reconciling import reconcile_nightly
from services.verification.work.worker import tell_failure
from shared.db.away import DATABASE_AWAY
from shared.db.retrying import before_retry
from shared.log.port import HistorySplit

EVERY_S: Final = 60.0
RETRY_S: Final = 5.0
AT_ONCE_MAX: Final = 200
# So long somebody stays Verified whose time is over while Stripe does not say whether it is.
HEARD_WITHIN: Final = timedelta(days=3)

# Also what is in doubt for other reasons. Whoever has paid at Stripe is settled by the look there,
# unless nothing was heard for days.
DUE: Final = """
SELECT player_id FROM mahjic.verification_doubts
UNION
SELECT watched.player_id FROM mahjic.verification_watch AS watched
WHERE watched.next_at <= $1 AND NOT ($2 AND EXISTS (
    SELECT FROM mahjic.enrollments AS own
    JOIN mahjic.read_players AS known USING (player_id)
    WHERE known.survivor_id = watched.player_id AND own.account_id IS NOT NULL
        AND own.customer_id IS NOT NULL
        AND (own.looked_at IS NULL OR own.looked_at < watched.next_at)
        AND (own.look_due_at IS NULL OR own.look_due_at > $3)
))
ORDER BY player_id LIMIT $4
"""
# Whoever's time is over may have paid for more without our being told, as after a standstill.
LOOK_FIRST: Final = """
UPDATE mahjic.enrollments AS own SET look_due_at = $1, look_tries = 0
FROM mahjic.verification_watch AS watched
JOIN mahjic.read_players AS known ON known.survivor_id = watched.player_id
WHERE watched.next_at <= $1 AND own.player_id = known.player_id AND own.account_id IS NOT NULL
    AND own.customer_id IS NOT NULL AND own.look_due_at IS NULL
    AND (own.looked_at IS NULL OR own.looked_at < watched.next_at)
"""

_log = structlog.get_logger(__name__)


async def run_clock(room: VerificationRoom) -> NoReturn:
    """Look once a minute, forever, also after the database was away."""
    while True:
        try:
            await tick(room)
        except DATABASE_AWAY as error:
            _log.warning("database_away", error=type(error).__name__)
            await before_retry(RETRY_S)
        else:
            await asyncio.sleep(EVERY_S)


async def tick(room: VerificationRoom) -> None:
    """Do all that time has brought up to now."""
    now = room.now()
    await follow_people(room.pool)
    is_heard = room.stripe_account is not None
    if is_heard:
        await room.pool.execute(LOOK_FIRST, now)
    await _settle_due(room, now, is_heard=is_heard)
    await close_left(room, now)
    if is_heard:
        await reconcile_nightly(room.pool, now)
        async with room.pool.acquire() as connection, connection.transaction():
            await redact_old_checks(room, connection, now)
    await sweep_hashes(room.pool, now)
    await sweep_events(room.pool, now)
    await sweep_requests(room.pool, now)


async def _settle_one(room: VerificationRoom, player_id: str) -> None:
    async with room.pool.acquire() as connection, room.waterline.writing(connection) as writing:
        await settle(room, connection, writing, player_id)


async def _settle_due(room: VerificationRoom, now: datetime, *, is_heard: bool) -> None:
    """Settle everybody whose time has come, once each, but those whom Stripe is asked about first.

    Without an account at Stripe it `is_heard` from no more.
    """
    seen: set[str] = set()
    while True:
        rows = await room.pool.fetch(
            DUE, now, is_heard, now - HEARD_WITHIN, AT_ONCE_MAX + len(seen)
        )
        due = [row["player_id"] for row in rows if row["player_id"] not in seen]
        for player_id in due:
            try:
                await _settle_one(room, player_id)
            except (HistorySplit, *DATABASE_AWAY):
                raise
            except Exception as error:  # noqa: BLE001
                # A mistake of ours about one player is not everybody's (decision 0041).
                tell_failure(error, player_id=player_id)
        seen.update(due)
        if len(rows) < AT_ONCE_MAX + len(seen) - len(due):
            return
