"""Sends events to a service over HTTP, signed as Stripe does or not."""

import json
from datetime import UTC, datetime
from typing import Any, Final

import asyncpg
import httpx

from shared.http.layers.paths import STRIPE_EVENTS_PATH
from tests.verification.stripe.account.events import SECRET, signature_of

NEWER: Final = "whsec_the_newer_one"
HASH_KEY: Final = "a-key-of-tests-that-hashes-documents"
# Nobody answers there: whatever takes an event asks nothing.
NOWHERE: Final = "http://127.0.0.1:9"
OPEN: Final[dict[str, Any]] = {
    "stripe_key": "rk_test_0123456789",
    "stripe_webhook_secrets": (SECRET, NEWER),
    "stripe_price": "price_1",
    "identity_hash_key": HASH_KEY,
    "stripe_api_base": NOWHERE,
}
KEPT: Final = "SELECT event_id, type, object_id FROM mahjic.stripe_events ORDER BY number"


def an_event(event_id: str, object_id: object = "sub_1", **changed: object) -> dict[str, Any]:
    """Return an event as Stripe sends it."""
    event = {
        "id": event_id,
        "object": "event",
        "type": "customer.subscription.updated",
        "created": 1_800_000_000,
        "data": {"object": {"id": object_id, "object": "subscription"}},
    }
    return {**event, **changed}


def written(event: object) -> bytes:
    return json.dumps(event).encode()


async def send(
    client: httpx.AsyncClient,
    body: bytes,
    *,
    secret: str = SECRET,
    signature: str | None = None,
    **headers: str,
) -> httpx.Response:
    """Send a body, signed now with a secret, or with the signature that is given."""
    signed = signature or signature_of(body, datetime.now(UTC), [secret])
    sent = {"Content-Type": "application/json; charset=utf-8", "Stripe-Signature": signed}
    return await client.post(STRIPE_EVENTS_PATH, content=body, headers={**sent, **headers})


async def kept(pool: asyncpg.Pool) -> list[tuple[str, str, str | None]]:
    """Return every event in the inbox."""
    return [tuple(row) for row in await pool.fetch(KEPT)]
