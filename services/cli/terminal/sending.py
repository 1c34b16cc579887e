"""Sends a request that may be sent again until the service says what it did."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

import httpx

from services.cli.terminal.client import ServiceClient, ServiceUnreachable

# How long the service is asked to wait in one request; most proxies cut off longer ones.
PREFER_WAIT_S_MAX: Final = 30
RETRY_S_DEFAULT: Final = 1.0
# Busy, or away for now.
WORTH_SENDING_AGAIN: Final = frozenset({429, 502, 503, 504})
NEVER_ARRIVED: Final = (httpx.ConnectError, httpx.ConnectTimeout)


@dataclass(frozen=True, slots=True)
class Sent:
    """The last answer, and whether any answer said that it was recorded just now, by this sending.

    What is sent again until it is rated is on record by then, which is no news to its sender.
    """

    content: bytes
    is_new: bool


def send_until_told(
    service: ServiceClient,
    path: str,
    body: bytes,
    *,
    wait_s: float,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """Do the same as `send_until_rated`, and return only the last answer."""
    return send_until_rated(service, path, body, wait_s=wait_s, headers=headers).content


def send_until_rated(
    service: ServiceClient,
    path: str,
    body: bytes,
    *,
    wait_s: float,
    headers: Mapping[str, str] | None = None,
) -> Sent:
    """Send the same request until it is done and rated, or the time is up.

    Raises ServiceRefused; or ServiceUnreachable, at once if nothing answers at the start.
    """
    ends_at = time.monotonic() + wait_s
    response, is_new = None, False
    while True:
        ask_s = max(1, min(PREFER_WAIT_S_MAX, int(ends_at - time.monotonic())))
        asking = {**(headers or {}), "Prefer": f"wait={ask_s}"}
        try:
            response = service.post(path, body, asking, wait_s=ask_s)
        except ServiceUnreachable as error:
            is_nobody_there = response is None and isinstance(error.__cause__, NEVER_ARRIVED)
            if is_nobody_there or time.monotonic() + RETRY_S_DEFAULT > ends_at:
                raise
            pause_s = RETRY_S_DEFAULT
        else:
            is_new |= response.is_success and "Idempotency-Replayed" not in response.headers
            asked_s = _asked_pause_s(response)
            if asked_s is None or time.monotonic() + asked_s > ends_at:
                return Sent(service.content(response), is_new)
            pause_s = asked_s
        time.sleep(pause_s)


def with_query(path: str, **parameters: str | None) -> str:
    """Return a path with the parameters that are given."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return f"{path}?{urlencode(given)}" if given else path


def _asked_pause_s(response: httpx.Response) -> float | None:
    """Return how many seconds to wait before sending again; None if this answer is final."""
    status = response.status_code
    is_running = status == HTTPStatus.CONFLICT and b'"request_in_progress"' in response.content
    if status != HTTPStatus.ACCEPTED and status not in WORTH_SENDING_AGAIN and not is_running:
        return None
    asked = response.headers.get("Retry-After", "")
    return float(asked) if asked.isascii() and asked.isdigit() else RETRY_S_DEFAULT
