"""Checks that an event was sent by Stripe, lately, and as it was sent: by the signature over it."""

import hashlib
import hmac
import re
from collections.abc import Iterator, Sequence
from typing import Final

from shared.errors import MahjicError

# How old, and how far ahead of our clock, a signature may be.
PAST_S_MAX: Final = 300
FUTURE_S_MAX: Final = 60
# Stripe signs with at most two secrets at a time, and sends two schemes.
PARTS_MAX: Final = 16
_SECONDS: Final = re.compile(r"[0-9]{1,12}", re.ASCII)


class SignatureRefused(MahjicError):
    """The signature of an event is missing, wrong, too old or in the future."""

    code = "signature_refused"
    title = "The event is not signed as it must be"
    status = 400


def check_signature(body: bytes, header: str | None, secrets: Sequence[str], now_s: float) -> None:
    """Check that one of the secrets has signed exactly these bytes. Raises SignatureRefused."""
    if header is None:
        raise SignatureRefused("The header Stripe-Signature is missing. Only Stripe sends events.")
    parts = [part.partition("=")[::2] for part in header.split(",", PARTS_MAX)[:PARTS_MAX]]
    times = [value for name, value in parts if name.strip() == "t"]
    if len(times) != 1 or not _SECONDS.fullmatch(times[0]):
        raise SignatureRefused("The header Stripe-Signature does not say when it was signed.")
    signatures = [value for name, value in parts if name.strip() == "v1"]
    # All are compared, so the time tells nothing about which secret fits.
    fits = [
        hmac.compare_digest(wanted, sent.encode())
        for wanted in _wanted(times[0], body, secrets)
        for sent in signatures
    ]
    if not any(fits):
        raise SignatureRefused(
            "The signature does not fit. Check that MAHJIC_STRIPE_WEBHOOK_SECRETS holds the "
            "signing secret of this endpoint."
        )
    age_s = now_s - int(times[0])
    if not -FUTURE_S_MAX <= age_s <= PAST_S_MAX:
        raise SignatureRefused(
            f"The event was signed {abs(age_s):.0f} s {'ago' if age_s > 0 else 'in the future'}. "
            "Check the clock of this machine; Stripe sends the event again."
        )


def _wanted(time: str, body: bytes, secrets: Sequence[str]) -> Iterator[bytes]:
    for secret in secrets:
        signed = hmac.new(secret.encode(), f"{time}.".encode() + body, hashlib.sha256)
        yield signed.hexdigest().encode()
