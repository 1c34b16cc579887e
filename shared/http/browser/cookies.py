"""Reads the cookies of a request, and writes those that only the browser and we see."""

from dataclasses import dataclass

from starlette.types import Scope


@dataclass(frozen=True, slots=True)
class SetCookie:
    """A cookie for a browser: no script reads it, and other sites' requests go without it.

    A `lasts_s` of 0 takes the cookie away.
    """

    name: str
    value: str
    lasts_s: int
    is_secure: bool

    def __str__(self) -> str:
        secure = "; Secure" if self.is_secure else ""
        return (
            f"{self.name}={self.value}; Path=/; Max-Age={self.lasts_s}{secure}; HttpOnly; "
            "SameSite=Lax"
        )


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
