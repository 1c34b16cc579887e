"""The addresses that sources name, as their owners keep them; in the transaction of the caller."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import asyncpg

from services.notices.webhooks.signing import new_secret
from shared.errors import MahjicError, NotFound
from shared.ids import CROCKFORD
from shared.notices.writing import Connection

ENDPOINTS_MAX: Final = 5
ID_CHARACTERS: Final = 10
SECRETS_MAX: Final = 2

EndpointState: TypeAlias = Literal["on", "off", "gone", "failing"]

FIELDS: Final = """
endpoint_id, source, url, secrets, created_at, state, state_since, failures, failing_since,
paused_until
"""
# One owner at a time, also for the count.
HOLD: Final = "SELECT FROM mahjic.sources WHERE slug = $1 FOR UPDATE"
LIST: Final = f"""
SELECT {FIELDS} FROM mahjic.webhook_endpoints WHERE source = $1 ORDER BY created_at, endpoint_id
"""
ONE: Final = f"""
SELECT {FIELDS} FROM mahjic.webhook_endpoints WHERE source = $1 AND endpoint_id = $2 FOR UPDATE
"""
# What happened before is not sent unless somebody asks for it.
ADD: Final = """
INSERT INTO mahjic.webhook_endpoints
    (endpoint_id, source, url, secrets, created_at, state_since, spread_to)
VALUES ($1, $2, $3, $4, $5, $5, coalesce(
    (SELECT last FROM mahjic.notice_numbers WHERE source = $2), 0
))
"""
REMOVE: Final = "DELETE FROM mahjic.webhook_endpoints WHERE source = $1 AND endpoint_id = $2"
SET_SECRETS: Final = "UPDATE mahjic.webhook_endpoints SET secrets = $2 WHERE endpoint_id = $1"
SET_STATE: Final = """
UPDATE mahjic.webhook_endpoints
SET state = $2, state_since = $3, failures = 0, failing_since = NULL, failed_at = NULL,
    paused_until = NULL
WHERE endpoint_id = $1
"""
# What is on its way there while this is done comes twice.
FORGET_SINCE: Final = """
DELETE FROM mahjic.webhook_deliveries WHERE endpoint_id = $1 AND number >= $2
"""
SPREAD_AGAIN: Final = """
UPDATE mahjic.webhook_endpoints
SET spread_to = least(spread_to, $2 - 1), failures = 0, failing_since = NULL, failed_at = NULL,
    paused_until = NULL
WHERE endpoint_id = $1
"""
AGAIN: Final = """
UPDATE mahjic.webhook_deliveries SET due_at = $3, leased_until = NULL, tries = 0
WHERE endpoint_id = $1 AND number = $2 RETURNING number
"""
HOLD_ONE: Final = """
SELECT state FROM mahjic.webhook_endpoints WHERE endpoint_id = $1 FOR UPDATE
"""
DUE_NOW: Final = """
WITH due AS (
    UPDATE mahjic.webhook_deliveries SET due_at = $2, leased_until = NULL
    WHERE endpoint_id = $1 AND due_at IS NOT NULL RETURNING number
)
SELECT count(*) FROM due
"""
COUNT_DUE: Final = """
SELECT count(*) FROM mahjic.webhook_deliveries WHERE endpoint_id = $1 AND due_at IS NOT NULL
"""
# So that what is due now is sent now.
RING: Final = "SELECT pg_notify('mahjic_notices', '0')"


class TooManyEndpoints(MahjicError):
    """A source has as many addresses as it may have."""

    code = "too_many_endpoints"
    title = "There are five addresses already"
    status = 409


class NoSuchEndpoint(NotFound):
    """The source has no such address."""

    code = "no_such_endpoint"
    title = "This address is no longer here"

    def __init__(
        self, detail: str = "Somebody removed it, or it is not one of yours. Load the list again."
    ) -> None:
        super().__init__(detail)


class NoSuchDelivery(NotFound):
    """Nothing was sent to the address under this number."""

    code = "no_such_delivery"
    title = "This event is no longer here"

    def __init__(self) -> None:
        super().__init__("Events are kept for 30 days. Load the list again.")


class SecretsFull(MahjicError):
    """The old secret still counts."""

    code = "secrets_full"
    title = "Two secrets are in use already"
    status = 409

    def __init__(self) -> None:
        super().__init__("Stop using the old one first, and then make another.")


@dataclass(frozen=True, slots=True)
class WebhookEndpoint:
    """An address of a source. The newest secret comes first; two while one is changed."""

    endpoint_id: str
    source: str
    url: str
    secrets: Sequence[str] = field(repr=False)
    created_at: datetime
    state: EndpointState
    state_since: datetime
    failures: int
    failing_since: datetime | None
    paused_until: datetime | None


@dataclass(frozen=True, slots=True)
class RetriedEndpoint:
    """How an address stood when it was to be tried, and how many events wait for it."""

    was: EndpointState
    waiting: int


def new_endpoint_id() -> str:
    """Return an id that nobody guesses."""
    return "wh_" + "".join(secrets.choice(CROCKFORD) for _ in range(ID_CHARACTERS))


async def list_endpoints(connection: Connection, source: str) -> Sequence[WebhookEndpoint]:
    """Return all addresses of a source, the oldest first."""
    return [_endpoint(row) for row in await connection.fetch(LIST, source)]


async def hold_endpoint(connection: Connection, source: str, endpoint_id: str) -> WebhookEndpoint:
    """Return an address that nobody changes until the transaction ends. Raises NoSuchEndpoint."""
    row = await connection.fetchrow(ONE, source, endpoint_id)
    if row is None:
        raise NoSuchEndpoint
    return _endpoint(row)


async def add_endpoint(
    connection: Connection, source: str, endpoint_id: str, url: str, *, now: datetime
) -> bool:
    """Add an address under the id that its form carries; return False if that was done before.

    Raises TooManyEndpoints, or NoSuchEndpoint if the id is another source's.
    """
    await connection.execute(HOLD, source)
    there = await list_endpoints(connection, source)
    if any(each.endpoint_id == endpoint_id for each in there):
        return False
    if len(there) >= ENDPOINTS_MAX:
        raise TooManyEndpoints(f"A source has up to {ENDPOINTS_MAX}. Remove one that is not used.")
    try:
        await connection.execute(ADD, endpoint_id, source, url, [new_secret()], now)
    except asyncpg.UniqueViolationError:
        raise NoSuchEndpoint from None
    return True


async def remove_endpoint(connection: Connection, source: str, endpoint_id: str) -> None:
    """Remove an address, and what was sent there. Raises NoSuchEndpoint."""
    if await connection.execute(REMOVE, source, endpoint_id) == "DELETE 0":
        raise NoSuchEndpoint


async def begin_secret(connection: Connection, endpoint: WebhookEndpoint) -> None:
    """Sign with a new secret as well. Raises SecretsFull."""
    if len(endpoint.secrets) >= SECRETS_MAX:
        raise SecretsFull
    await connection.execute(SET_SECRETS, endpoint.endpoint_id, [new_secret(), *endpoint.secrets])


async def end_old_secret(connection: Connection, endpoint: WebhookEndpoint) -> None:
    """Sign with the newest secret alone."""
    await connection.execute(SET_SECRETS, endpoint.endpoint_id, list(endpoint.secrets[:1]))


async def set_state(
    connection: Connection, endpoint: WebhookEndpoint, state: EndpointState, *, now: datetime
) -> None:
    """Switch an address on or off. What was not sent meanwhile is sent once it is on again."""
    if endpoint.state == state:
        return
    if state == "on":
        await end_pause(connection, endpoint.endpoint_id, now=now)
    else:
        await put_state(connection, endpoint.endpoint_id, state, now=now)


async def end_pause(connection: Connection, endpoint_id: str, *, now: datetime) -> int:
    """Switch an address that is held on, with no pause, and return how many events wait for it."""
    await put_state(connection, endpoint_id, "on", now=now)
    return int(await connection.fetchval(DUE_NOW, endpoint_id, now))


async def put_state(
    connection: Connection, endpoint_id: str, state: EndpointState, *, now: datetime
) -> None:
    """Put an address that is held into a state."""
    await connection.execute(SET_STATE, endpoint_id, state, now)
    await connection.execute(RING)


async def send_since(connection: Connection, endpoint: WebhookEndpoint, number: int) -> None:
    """Send every event from a number on, again or for the first time."""
    await connection.execute(FORGET_SINCE, endpoint.endpoint_id, number)
    await connection.execute(SPREAD_AGAIN, endpoint.endpoint_id, number)
    await connection.execute(RING)


async def send_again(
    connection: Connection, endpoint: WebhookEndpoint, number: int, *, now: datetime
) -> None:
    """Send one event again. Raises NoSuchDelivery."""
    if await connection.fetchval(AGAIN, endpoint.endpoint_id, number, now) is None:
        raise NoSuchDelivery
    await connection.execute(RING)


async def retry_now(pool: asyncpg.Pool, endpoint_id: str, *, now: datetime) -> RetriedEndpoint:
    """End the pause of an address, so that what waits for it is sent at once.

    One that Mahjic has switched off is on again; one that its owners have stays off, and nothing
    changes. Raises NoSuchEndpoint.
    """
    async with pool.acquire() as connection, connection.transaction():
        row = await connection.fetchrow(HOLD_ONE, endpoint_id)
        if row is None:
            raise NoSuchEndpoint(
                "There is no address with this id. `mahjic webhooks list` shows the ids."
            )
        if row["state"] == "off":
            return RetriedEndpoint("off", await connection.fetchval(COUNT_DUE, endpoint_id))
        waiting = await end_pause(connection, endpoint_id, now=now)
        return RetriedEndpoint(row["state"], waiting)


def _endpoint(row: asyncpg.Record) -> WebhookEndpoint:
    told: dict[str, Any] = dict(row)
    return WebhookEndpoint(**told)
