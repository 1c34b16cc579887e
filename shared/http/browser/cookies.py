"""Reads the cookies of a request."""

from starlette.types import Scope


def read_cookie(scope: Scope, name: str) -> str | None:
    """Return the value of a cookie, None if it was not sent, or more than once.

    Two of one name were set by two, and only one of them was us.
    """
    prefix = f"{name}="
    found = [
        pair.strip()[len(prefix) :]
        for field, value in scope["headers"]
        if field == b"cookie"
        for pair in value.decode("latin-1").split(";")
        if pair.strip().startswith(prefix)
    ]
    return found[0] if len(found) == 1 else None
