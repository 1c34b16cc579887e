"""The check that a webhook comes from Mahjic, is new, and was not changed on its way.

The headers and signatures are those of Standard Webhooks (www.standardwebhooks.com).
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final

AGE_S_MAX: Final = 5 * 60  # Either way: clocks differ.
MARK: Final = "whsec_"  # Begins every secret.
VERSION: Final = "v1,"
_SECONDS: Final = re.compile(r"[0-9]{1,12}")


class WebhookError(Exception):
    """The message is not one to trust. Answer 400, and do nothing else."""


def read_webhook(
    secrets: str | Iterable[str],
    headers: Mapping[str, str],
    body: bytes,
    now: float | None = None,
) -> dict[str, Any]:
    """Return what a message says, if it was signed with one of the secrets in the last minutes.

    `body` is the request's body as the bytes that came, before anything reads them. Give both
    secrets while you change one. `now` is the Unix time; without it, the clock is read. Raises
    WebhookError for a message that is not to be trusted, ValueError for a secret that is none.
    """
    keys = [_key(each) for each in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("Give at least one secret; without one, no message can be trusted.")
    if not isinstance(body, bytes):
        raise TypeError("Give the body as the bytes that came, not as text or as read JSON.")
    message_id, sent, signatures = (
        _header(headers, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    _check_time(sent, time.time() if now is None else now)
    signed = b".".join((message_id.encode("utf-8", "surrogatepass"), sent.encode(), body))
    _check_signature(signatures, keys, signed)
    return _read(body)


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix(MARK), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(MARK) or not key:
        raise ValueError("A secret is whsec_ and base64. Copy it again from where Mahjic shows it.")
    return key


def _header(headers: Mapping[str, str], name: str) -> str:
    found = [value for each, value in headers.items() if each.lower() == name]
    if len(found) != 1 or not found[0]:
        raise WebhookError(f"The header {name} is missing, empty, or there twice.")
    return found[0]


def _check_time(sent: str, now: float) -> None:
    if not _SECONDS.fullmatch(sent):
        raise WebhookError("The header webhook-timestamp is not a time in whole seconds.")
    if abs(now - int(sent)) > AGE_S_MAX:
        raise WebhookError("The message was sent more than five minutes ago, or in the future.")


def _check_signature(signatures: str, keys: Iterable[bytes], signed: bytes) -> None:
    """Compare every signature with every key, in a time that does not depend on what fits."""
    digests = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    expected = [VERSION.encode() + base64.b64encode(digest) for digest in digests]
    given = [each.encode("utf-8", "surrogatepass") for each in signatures.split(" ")]
    fits = [hmac.compare_digest(one, other) for one in expected for other in given]
    if not any(fits):
        raise WebhookError("No signature fits the message.")


def _read(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError) as wrong:
        raise WebhookError("The message is signed, but is not JSON.") from wrong
    if not isinstance(event, dict):
        raise WebhookError("The message is signed, but is not a JSON object.")
    return event
