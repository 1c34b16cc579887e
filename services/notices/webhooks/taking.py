"""Hands events to those who send them, and keeps what came of it.

An event that nobody settled is handed out again once its lease is over. Whoever changes both locks
the address first, and then its events.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import asyncpg

from services.notices.webhooks.posting import TRY_S_MAX, Posted
from services.notices.webhooks.schedule import pause_after, read_retry_after
from shared.notices.writing import Connection

# A try takes 10 s at most; the rest is for a database that is away for a moment.
LEASED_FOR: Final = timedelta(seconds=TRY_S_MAX + 50)
# Events of one address on their way at once: one until it has shown that it answers soon.
AT_ONCE_MAX: Final = 10
SLOW_MS: Final = 1_000
SPREAD_MAX: Final = 500
ADDRESSES_AT_ONCE: Final = 100

# A source that is suspended is told so, and no more of what comes after. Of numbers that were left
# out, or are gone, nothing is sent.
SPREAD: Final = """
WITH behind AS (
    SELECT endpoints.endpoint_id, endpoints.source, endpoints.spread_to, ends.last
    FROM mahjic.webhook_endpoints AS endpoints
    JOIN mahjic.notice_numbers AS numbers ON numbers.source = endpoints.source
    JOIN mahjic.sources AS sources ON sources.slug = endpoints.source
    CROSS JOIN LATERAL (SELECT CASE
        WHEN sources.is_suspended THEN coalesce((
            SELECT max(number) FROM mahjic.notices AS told
            WHERE told.source = endpoints.source AND told.kind = 'source.suspended'
        ), 0)
        ELSE numbers.last
    END AS last) AS ends
    WHERE endpoints.state = 'on' AND endpoints.spread_to < ends.last
    ORDER BY endpoints.endpoint_id LIMIT $2 FOR UPDATE OF endpoints SKIP LOCKED
), next AS (
    SELECT behind.endpoint_id, told.number FROM behind CROSS JOIN LATERAL (
        SELECT number FROM mahjic.notices AS notices
        WHERE notices.source = behind.source AND notices.number > behind.spread_to
            AND notices.number <= behind.last
        ORDER BY number LIMIT $3
    ) AS told
), added AS (
    INSERT INTO mahjic.webhook_deliveries (endpoint_id, number, due_at)
    SELECT endpoint_id, number, $1 FROM next
    ON CONFLICT DO NOTHING
), moved AS (
    UPDATE mahjic.webhook_endpoints AS endpoints
    SET spread_to = coalesce(
        (SELECT max(number) FROM next WHERE next.endpoint_id = behind.endpoint_id), behind.last
    )
    FROM behind WHERE endpoints.endpoint_id = behind.endpoint_id
)
SELECT count(*) FROM behind
"""
# Each address gives its first event before any gives its second one; which of them is first is
# left to chance, so that none is always last. Another worker may have taken an event since this
# statement began, so that it is looked at again under its lock.
TAKE: Final = """
WITH ready AS (
    SELECT endpoint_id, source, url, secrets, CASE
        WHEN is_slow OR failures > 0 THEN 1 ELSE $3::integer
    END AS at_once
    FROM mahjic.webhook_endpoints AS endpoints
    WHERE state = 'on' AND is_slow = $2 AND (paused_until IS NULL OR paused_until <= $1)
        AND EXISTS (
            SELECT FROM mahjic.webhook_deliveries AS due
            WHERE due.endpoint_id = endpoints.endpoint_id AND due.due_at <= $1
        )
    FOR UPDATE OF endpoints SKIP LOCKED
), due AS (
    SELECT ready.endpoint_id, next.number FROM ready CROSS JOIN LATERAL (
        SELECT number, row_number() OVER (ORDER BY due_at, number) + (
            SELECT count(*) FROM mahjic.webhook_deliveries AS held
            WHERE held.endpoint_id = ready.endpoint_id AND held.due_at IS NOT NULL
                AND held.leased_until > $1
        ) AS place
        FROM mahjic.webhook_deliveries AS waiting
        WHERE waiting.endpoint_id = ready.endpoint_id AND waiting.due_at <= $1
            AND (waiting.leased_until IS NULL OR waiting.leased_until <= $1)
        ORDER BY due_at, number LIMIT ready.at_once
    ) AS next
    WHERE next.place <= ready.at_once ORDER BY next.place, random() LIMIT $5
), taken AS (
    UPDATE mahjic.webhook_deliveries AS deliveries SET leased_until = $4
    FROM due
    WHERE deliveries.endpoint_id = due.endpoint_id AND deliveries.number = due.number
        AND deliveries.due_at <= $1
        AND (deliveries.leased_until IS NULL OR deliveries.leased_until <= $1)
    RETURNING deliveries.endpoint_id, deliveries.number
)
SELECT taken.endpoint_id, ready.source, ready.url, ready.secrets, taken.number
FROM taken JOIN ready USING (endpoint_id) ORDER BY taken.endpoint_id, taken.number
"""
# Hardly ever anything: only when an address comes back, or has become slower or faster.
WELL: Final = """
UPDATE mahjic.webhook_endpoints
SET failures = 0, failing_since = NULL, failed_at = NULL, paused_until = NULL, is_slow = $2
WHERE endpoint_id = $1 AND (failures > 0 OR is_slow <> $2)
"""
SETTLE: Final = """
UPDATE mahjic.webhook_deliveries
SET due_at = NULL, leased_until = NULL, tries = tries + 1, tried_at = $3, outcome = 'delivered',
    status = $4, answer = $5, took_ms = $6
WHERE endpoint_id = $1 AND number = $2
"""
LEAVE_OUT: Final = """
UPDATE mahjic.webhook_deliveries
SET due_at = NULL, leased_until = NULL, tried_at = $3, outcome = 'left_out'
WHERE endpoint_id = $1 AND number = $2
"""
LOCK: Final = """
SELECT endpoints.state, endpoints.failures, endpoints.failing_since, endpoints.failed_at,
    coalesce(deliveries.tries, 0) AS tries
FROM mahjic.webhook_endpoints AS endpoints
LEFT JOIN mahjic.webhook_deliveries AS deliveries
    ON deliveries.endpoint_id = endpoints.endpoint_id AND deliveries.number = $2
WHERE endpoints.endpoint_id = $1 FOR UPDATE OF endpoints
"""
PUT_OFF: Final = """
UPDATE mahjic.webhook_deliveries
SET due_at = $7, leased_until = NULL, tries = tries + 1, tried_at = $3, outcome = $8, status = $4,
    answer = $5, took_ms = $6
WHERE endpoint_id = $1 AND number = $2 AND due_at IS NOT NULL
"""
PAUSE: Final = """
UPDATE mahjic.webhook_endpoints
SET failures = failures + 1, failing_since = coalesce(failing_since, $2), failed_at = $2,
    paused_until = $3, is_slow = true
WHERE endpoint_id = $1
"""


@dataclass(frozen=True, slots=True)
class TakenEvent:
    """An event for an address, held by whoever took it. Its secrets sign it."""

    endpoint_id: str
    source: str
    url: str
    secrets: Sequence[str] = field(repr=False)
    number: int


@dataclass(frozen=True, slots=True)
class FailedAddress:
    """An address after a failure: since when it fails, and whether it is switched on."""

    failing_since: datetime
    is_on: bool


async def spread_events(pool: asyncpg.Pool, *, now: datetime) -> int:
    """Give new events to the addresses they are for, and return to how many; 0 if all have them."""
    return int(await pool.fetchval(SPREAD, now, ADDRESSES_AT_ONCE, SPREAD_MAX))


async def take_events(
    pool: asyncpg.Pool, *, slow: bool, places: int, now: datetime
) -> Sequence[TakenEvent]:
    """Return events that are due, for as many places, to slow addresses or to the others."""
    rows = await pool.fetch(TAKE, now, slow, AT_ONCE_MAX, now + LEASED_FOR, places)
    return [TakenEvent(**dict(row)) for row in rows]


async def note_delivered(
    connection: Connection, event: TakenEvent, posted: Posted, *, now: datetime
) -> None:
    """Keep that an event arrived."""
    await connection.execute(WELL, event.endpoint_id, posted.took_ms > SLOW_MS)
    await connection.execute(SETTLE, *_told(event, posted, now))


async def note_left_out(connection: Connection, event: TakenEvent, *, now: datetime) -> None:
    """Keep that an event no longer tells anything that its source may see, or is gone."""
    await connection.execute(LEAVE_OUT, event.endpoint_id, event.number, now)


async def note_failed(
    connection: Connection,
    event: TakenEvent,
    posted: Posted,
    *,
    began_at: datetime,
    chance: float,
    now: datetime,
) -> FailedAddress | None:
    """Keep that an event did not arrive, and pause its address; None if that is gone.

    Of the tries that were under way together, one counts.
    """
    row = await connection.fetchrow(LOCK, event.endpoint_id, event.number)
    if row is None:
        return None
    asked = read_retry_after(posted.retry_after, now)
    again = now + pause_after(row["tries"] + 1, chance=chance, retry_after=asked)
    await connection.execute(PUT_OFF, *_told(event, posted, now), again, posted.outcome)
    is_first = row["failed_at"] is None or began_at > row["failed_at"]
    if row["state"] == "on" and is_first:
        pause = pause_after(row["failures"] + 1, chance=chance, retry_after=asked)
        await connection.execute(PAUSE, event.endpoint_id, now, now + pause)
    return FailedAddress(row["failing_since"] or now, is_on=row["state"] == "on")


def _told(event: TakenEvent, posted: Posted, now: datetime) -> list[object]:
    return [
        event.endpoint_id,
        event.number,
        now,
        posted.status,
        posted.answer,
        posted.took_ms,
    ]
