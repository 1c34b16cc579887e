"""Finds out who is calling, by the request's API key, and what a route requires of its caller."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import Request
from starlette.types import Scope

from shared.errors import MahjicError
from shared.http.problems import NotAllowed, NotAuthenticated
from shared.http.requests import state_of
from shared.ids import is_api_key

CallerKind = Literal["source", "operator", "auditor"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who an API key belongs to. `key_id` names the key in logs and reveals nothing of its text."""

    kind: CallerKind
    source: str | None
    key_id: str
    limit_per_minute: int | None

    def __post_init__(self) -> None:
        assert (self.kind == "source") == (self.source is not None)


# Looks up a key, and returns None if it is unknown or revoked.
Authenticate = Callable[[str], Awaitable[Caller | None]]


def read_api_key(scope: Scope) -> str | None:
    """Return the API key that a request was sent with, None if it was sent without one.

    Raises NotAuthenticated for what can't be a key, so that no lookup is spent on it.
    """
    sent = [value for name, value in scope["headers"] if name == b"authorization"]
    if not sent:
        return None
    text: str = sent[0].decode("latin-1")
    scheme, _, key = text.strip().partition(" ")
    key = key.strip()
    if len(sent) > 1 or scheme.lower() != "bearer" or not is_api_key(key):
        raise NotAuthenticated(
            "The Authorization header must be `Bearer`, a space and one API key: mjk_, or mjt_ "
            "in a sandbox, followed by 43 letters and digits.",
            key_was_sent=True,
        )
    return key


def caller_of(request: Request) -> Caller | None:
    """Return who is calling, None for the public."""
    caller = state_of(request.scope).get("caller")
    assert caller is None or isinstance(caller, Caller)
    return caller


async def is_still_allowed(scope: Scope) -> bool:
    """Return whether the key of a long request is still valid; true while that is unknown.

    A key that is revoked, or whose source is suspended, is not valid.
    """
    try:
        await state_of(scope)["find_caller"]()
    except MahjicError as error:
        return error.status not in {NotAuthenticated.status, NotAllowed.status}
    return True


class RequiredCaller:
    """The dependency of a route that only callers of some kinds may use, as its document says."""

    def __init__(self, kinds: Sequence[CallerKind]) -> None:
        assert kinds
        self._kinds = kinds

    # Not a plain method: FastAPI would send each of its calls to another thread.
    async def __call__(self, request: Request) -> Caller:
        """Return who is calling. Raises NotAuthenticated or NotAllowed."""
        return check_caller(caller_of(request), *self._kinds)


def require(*kinds: CallerKind) -> RequiredCaller:
    """Return a dependency for a route that only callers of the given kinds may use."""
    return RequiredCaller(kinds)


def check_caller(caller: Caller | None, *kinds: CallerKind) -> Caller:
    """Return the caller if it is one of the kinds. Raises NotAuthenticated or NotAllowed."""
    if caller is None:
        raise NotAuthenticated("Send an API key: Authorization: Bearer mjk_...")
    if caller.kind not in kinds:
        needed = " or ".join(sorted(kinds))
        raise NotAllowed(f"This needs a key of kind {needed}; yours is of kind {caller.kind}.")
    return caller
