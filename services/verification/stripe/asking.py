"""Asks Stripe one thing by its own library, and turns whatever goes wrong into what the port says.

Nothing of an answer gets into an exception or a log: an answer may hold what a document says.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

import stripe
from stripe import _util

from services.verification.stripe.port import StripeAway, StripeFailed, StripeRefused

# As Stripe's library would have it in JSON.
Answer: TypeAlias = dict[str, Any]

# The most that Stripe lists at once.
PAGE_RECORDS_MAX: Final = 100

# Another request holds what this one needs, a part of theirs failed, or there were too many.
_AGAIN_LATER: Final = frozenset({409, 424, 429})
_AGAIN_LATER_CODES: Final = frozenset({"lock_timeout", "rate_limit"})
_UNKNOWN: Final = "resource_missing"
_THEIR_FAULT: Final = 500
# About a key that is wrong, or may not do it, Stripe says no more than that.
_SAID_BY_STATUS: Final = {401: "unauthorized", 403: "forbidden"}


class _Unknown(StripeRefused):
    """Stripe does not know one of the things that it was asked about."""


def keep_library_quiet() -> None:
    """Keep Stripe's library from writing down what is said, and from telling about this machine.

    It would print whole answers if STRIPE_LOG said so in the environment, and it would keep a
    number in the home folder by which Stripe knows the machine again.
    """
    stripe.log = None
    _util.STRIPE_LOG = None
    stripe.enable_telemetry = False
    logging.getLogger("stripe").setLevel(logging.WARNING)


async def answered(asked: Awaitable[stripe.StripeObject], s_max: float) -> Answer:
    """Return what Stripe answers."""
    try:
        async with asyncio.timeout(s_max):
            return (await asked).to_dict()
    except TimeoutError:
        fault: Exception = StripeAway(f"Stripe did not answer within {s_max:g} s.")
    except stripe.StripeError as error:
        fault = _fault(error)
    # Down here it has no context: the library's own error holds the body of the answer.
    raise fault


async def found(asked: Awaitable[stripe.StripeObject], s_max: float) -> Answer | None:
    """Return what Stripe answers, and None if it does not know what it was asked about."""
    try:
        return await answered(asked, s_max)
    except _Unknown:
        return None


async def listed(
    ask: Callable[[Any], Awaitable[stripe.StripeObject]], s_max: float, **chosen: object
) -> list[Answer]:
    """Return all that Stripe lists, however many pages it takes; nothing of what is unknown."""
    records: list[Answer] = []
    while True:
        after = {"starting_after": records[-1]["id"]} if records else {}
        page = await found(ask({**chosen, **after, "limit": PAGE_RECORDS_MAX}), s_max)
        if page is None:
            return []
        records += page["data"]
        if not page["has_more"]:
            return records


def _fault(error: stripe.StripeError) -> Exception:
    told = error.json_body.get("error") if isinstance(error.json_body, dict) else None
    status = error.http_status or 0
    if status >= _THEIR_FAULT:
        return StripeFailed(f"Stripe failed by a fault of its own (status {status}).")
    if not isinstance(told, dict) or status < 400:
        return StripeAway(f"Stripe gave no answer of use (status {status or 'unknown'}).")
    code = str(told.get("code") or _SAID_BY_STATUS.get(status) or told.get("type"))
    if status in _AGAIN_LATER or code in _AGAIN_LATER_CODES:
        return StripeAway(f"Stripe wants to be asked again later ({code}).")
    if code == _UNKNOWN:
        return _Unknown(code, error.request_id)
    return StripeRefused(code, error.request_id)
