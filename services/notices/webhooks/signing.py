"""Secrets and signatures of what is sent, as Standard Webhooks says. Pure but for new secrets."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Final

BEGINS: Final = "whsec_"
SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a new secret that an endpoint and Mahjic share."""
    return BEGINS + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def message_id(endpoint_id: str, number: int) -> str:
    """Return the id of an event to an endpoint, the same at each try and forever."""
    return f"msg_{endpoint_id}_{number}"


def signed_headers(
    keys: Sequence[str], message: str, at_s: int, body: bytes
) -> list[tuple[bytes, bytes]]:
    """Return the headers that say which event it is, when it was signed, and by whom.

    `at_s` counts seconds since 1970. There is a signature for each secret.
    """
    signed = b"%b.%d.%b" % (message.encode(), at_s, body)
    signatures = b" ".join(b"v1," + _signature(each, signed) for each in keys)
    return [
        (b"webhook-id", message.encode()),
        (b"webhook-timestamp", b"%d" % at_s),
        (b"webhook-signature", signatures),
    ]


def _signature(secret: str, signed: bytes) -> bytes:
    key = base64.b64decode(secret.removeprefix(BEGINS))
    return base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
