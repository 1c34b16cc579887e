"""Sends what an account tells, signed as Stripe does, in any order and as often as asked."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

import httpx

from tests.verification.stripe.account.holdings import Event

SECRET: Final = "whsec_of_a_test"
# The version is that of the endpoint, whatever the library speaks.
API_VERSION: Final = "2026-10-28.endive"
_KINDS: Final = {
    "cus": "customer",
    "sub": "subscription",
    "in": "invoice",
    "inpay": "invoice_payment",
    "pi": "payment_intent",
    "ch": "charge",
    "re": "refund",
    "du": "dispute",
    "cs": "checkout.session",
    "vs": "identity.verification_session",
}


def body_of(event: Event) -> bytes:
    """Return an event as it is sent."""
    kind = _KINDS[event.object_id.partition("_")[0]]
    told = {
        "id": event.id,
        "object": "event",
        "api_version": API_VERSION,
        "created": int(event.created.timestamp()),
        "type": event.type,
        "livemode": False,
        "pending_webhooks": 1,
        "request": {"id": None, "idempotency_key": None},
        "data": {"object": {"id": event.object_id, "object": kind}},
    }
    return json.dumps(told).encode()


def signature_of(body: bytes, at: datetime, secrets: Iterable[str] = (SECRET,)) -> str:
    """Return the header Stripe-Signature; with two secrets, as while one replaces the other."""
    seconds = int(at.timestamp())
    signed = b"%d.%b" % (seconds, body)
    digests = [hmac.new(each.encode(), signed, hashlib.sha256).hexdigest() for each in secrets]
    return ",".join([f"t={seconds}", *(f"v1={each}" for each in digests)])


async def deliver(
    http: httpx.AsyncClient,
    url: str,
    events: Iterable[Event],
    *,
    at: datetime,
    secrets: Sequence[str] = (SECRET,),
) -> list[int]:
    """Send events one after the other, signed at a moment; return the statuses of the answers."""
    statuses = []
    for event in events:
        body = body_of(event)
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "Stripe-Signature": signature_of(body, at, secrets),
        }
        statuses.append((await http.post(url, content=body, headers=headers)).status_code)
    return statuses
