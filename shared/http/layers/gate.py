"""Lets each request in under its caller's limit, and tells the caller how much is left.

The fields are those of the IETF draft "RateLimit header fields for HTTP", revision 11 (May 2026).
A 304 is free: it gives its request back. It must be let in first, though, since only the answer
shows that it is one.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from shared.errors import MahjicError
from shared.http.callers import Authenticate, Caller, read_api_key
from shared.http.layer import HttpLayer
from shared.http.layers.addresses import ClientAddresses
from shared.http.layers.paths import (
    FILES_PATH,
    STRIPE_EVENTS_PATH,
    WATCHED_PATHS,
    is_of_public_log,
    is_of_site,
)
from shared.http.problems import NotAuthenticated, TooManyRequests, problem_response
from shared.http.requests import state_of
from shared.request_counts import WINDOW_S, Allowance, RequestCounts

# Monitoring matters most when the service is busy.
UNLIMITED_PATHS: Final = WATCHED_PATHS
NOT_MODIFIED: Final = 304


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """Requests per minute, for callers whose key has no limit of its own."""

    public_per_minute: int = 60
    source_per_minute: int = 300
    pages_per_minute: int = 300
    # What a signature costs to check is little; Stripe sends an event again that was refused.
    events_per_minute: int = 6_000


class Gate(HttpLayer):
    """Finds out who is calling, counts the request, and answers 401 or 429 itself.

    The caller is found once, here; `caller_of` gives it to the routes.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        authenticate: Authenticate,
        addresses: ClientAddresses,
        limits: RequestLimits,
        counts: RequestCounts,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(app)
        self._authenticate = authenticate
        self._addresses = addresses
        self._limits = limits
        self._counts = counts
        self._now_s = now_s

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in, or refuse it."""
        if _is_unlimited(scope["path"]):
            await self.app(scope, receive, send)
            return
        refusal: MahjicError | None = None
        caller: Caller | None = None
        try:
            # A key is for programs: pages ignore it.
            caller = None if is_of_site(scope["path"]) else await self._find_caller(scope)
        except MahjicError as error:
            # Guesses at keys count against the public limit of the guesser's address.
            refusal = error
        state_of(scope)["caller"] = caller
        state_of(scope)["find_caller"] = partial(self._find_caller, scope)
        if caller is not None and caller.kind != "source":
            await self.app(scope, receive, send)
            return
        policy, allowance = self._count(scope, caller)
        if not allowance.is_granted:
            refusal = TooManyRequests(
                policy=policy,
                limit_per_minute=allowance.limit,
                retry_after_s=allowance.window_s,
            )
        answer = self.app if refusal is None else problem_response(refusal, scope)
        await answer(scope, receive, self._telling(policy, allowance, send))

    async def _find_caller(self, scope: Scope) -> Caller | None:
        key = read_api_key(scope)
        if key is None:
            return None
        caller = await self._authenticate(key)
        if caller is None:
            raise NotAuthenticated(
                "This API key is not known, or it was revoked. Ask the operator for a new one.",
                key_was_sent=True,
            )
        return caller

    def _count(self, scope: Scope, caller: Caller | None) -> tuple[str, Allowance]:
        if is_of_site(scope["path"]):
            policy, client = "pages", f"pages {self._addresses.counted_as(scope)}"
            limit = self._limits.pages_per_minute
        elif scope["path"] == STRIPE_EVENTS_PATH:
            policy, client = "events", f"events {self._addresses.counted_as(scope)}"
            limit = self._limits.events_per_minute
        elif caller is None:
            policy, client = "public", self._addresses.counted_as(scope)
            limit = self._limits.public_per_minute
        else:
            # A source with many keys gets no more requests than one with a single key.
            policy, client = "source", f"source {caller.source}"
            limit = caller.limit_per_minute or self._limits.source_per_minute
        return policy, self._counts.take(client, limit, self._now_s())

    def _telling(self, policy: str, allowance: Allowance, send: Send) -> Send:
        async def send_with_limit(message: Message) -> None:
            if message["type"] == "http.response.start":
                told = allowance
                if message["status"] == NOT_MODIFIED:
                    told = self._counts.give_back(allowance, self._now_s())
                message = {**message, "headers": [*message["headers"], *_fields(policy, told)]}
            await send(message)

        return send_with_limit


def _is_unlimited(path: str) -> bool:
    return path in UNLIMITED_PATHS or path.startswith(FILES_PATH) or is_of_public_log(path)


def _fields(policy: str, allowance: Allowance) -> list[tuple[bytes, bytes]]:
    return [
        (b"ratelimit-policy", f'"{policy}";q={allowance.limit};w={WINDOW_S}'.encode()),
        (b"ratelimit", f'"{policy}";r={allowance.left};t={allowance.window_s}'.encode()),
    ]
