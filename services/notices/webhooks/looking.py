"""What was sent to the addresses of sources, for those who look."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg

from services.notices.answers import EventAnswer
from services.notices.reading import read_numbered
from shared.access.sources import UnknownSource
from shared.notices.writing import Connection

FIELDS: Final = "number, due_at, tries, tried_at, outcome, status, answer, took_ms"
LIST: Final = f"""
SELECT {FIELDS} FROM mahjic.webhook_deliveries
WHERE endpoint_id = $1 AND number < $2 ORDER BY number DESC LIMIT $3
"""
ONE: Final = f"""
SELECT {FIELDS} FROM mahjic.webhook_deliveries WHERE endpoint_id = $1 AND number = $2
"""
# What waits because its address pauses is not late.
OLDEST_DUE: Final = """
SELECT min(greatest(due.due_at, endpoints.paused_until))
FROM mahjic.webhook_endpoints AS endpoints CROSS JOIN LATERAL (
    SELECT due_at FROM mahjic.webhook_deliveries AS waiting
    WHERE waiting.endpoint_id = endpoints.endpoint_id AND waiting.due_at IS NOT NULL
    ORDER BY due_at, number LIMIT 1
) AS due
WHERE endpoints.state = 'on' AND greatest(due.due_at, endpoints.paused_until) <= $1
"""
IS_SOURCE: Final = "SELECT EXISTS (SELECT FROM mahjic.sources WHERE slug = $1)"
LIST_ALL: Final = """
SELECT endpoints.endpoint_id, endpoints.source, endpoints.url, endpoints.state,
    endpoints.state_since, endpoints.failures, endpoints.failing_since, endpoints.paused_until,
    (
        SELECT count(*) FROM mahjic.webhook_deliveries AS waiting
        WHERE waiting.endpoint_id = endpoints.endpoint_id AND waiting.due_at IS NOT NULL
    ) AS waiting
FROM mahjic.webhook_endpoints AS endpoints
WHERE $1::text IS NULL OR endpoints.source = $1
ORDER BY endpoints.source, endpoints.created_at, endpoints.endpoint_id
"""


@dataclass(frozen=True, slots=True)
class WebhookDelivery:
    """An event on its way to an address, or there; with what came of the last try.

    Without `due_at` it is settled. `told` is the event as it may be shown now, None if it no longer
    tells anything that its source may see.
    """

    number: int
    due_at: datetime | None
    tries: int
    tried_at: datetime | None
    outcome: str | None
    status: int | None
    answer: str | None
    took_ms: int | None
    told: EventAnswer | None


@dataclass(frozen=True, slots=True)
class WebhookStanding:
    """How an address stands. `waiting` counts events that have not arrived."""

    endpoint_id: str
    source: str
    url: str
    state: str
    state_since: datetime
    failures: int
    failing_since: datetime | None
    paused_until: datetime | None
    waiting: int


async def list_deliveries(
    connection: Connection, source: str, endpoint_id: str, *, before: int, limit: int
) -> Sequence[WebhookDelivery]:
    """Return what was or is to be sent to an address of a source, below a number, newest first."""
    rows = await connection.fetch(LIST, endpoint_id, before, limit)
    return await _with_events(connection, source, rows)


async def one_delivery(
    connection: Connection, source: str, endpoint_id: str, number: int
) -> WebhookDelivery | None:
    """Return one of them."""
    rows = await connection.fetch(ONE, endpoint_id, number)
    found = await _with_events(connection, source, rows)
    return found[0] if found else None


async def list_standings(connection: Connection, source: str | None) -> Sequence[WebhookStanding]:
    """Return how the addresses of a source stand, or of all. Raises UnknownSource."""
    if source is not None and not await connection.fetchval(IS_SOURCE, source):
        raise UnknownSource(source)
    return [WebhookStanding(**dict(row)) for row in await connection.fetch(LIST_ALL, source)]


async def oldest_due(pool: asyncpg.Pool, *, now: datetime) -> datetime | None:
    """Return since when the event that should have been sent first is overdue."""
    since: datetime | None = await pool.fetchval(OLDEST_DUE, now)
    return since


async def _with_events(
    connection: Connection, source: str, rows: Sequence[asyncpg.Record]
) -> Sequence[WebhookDelivery]:
    told = await read_numbered(connection, source, [row["number"] for row in rows])
    return [WebhookDelivery(**dict(row), told=told.get(row["number"])) for row in rows]
