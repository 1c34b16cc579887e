"""The cookies of the site: who is logged in, which browser asked for a code, and, in a sandbox, who
sees which mail.

On HTTPS their names say that only this host has set them, for all of it, and securely (`__Host-`).
On plain HTTP at this machine no name may say that, so they have other ones.
"""

from typing import Final, Literal, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from services.site.kit.origin import Origin
from shared.http.browser.cookies import read_cookie

CookieUse: TypeAlias = Literal["login", "browser", "visitor"]
DAY_S: Final = 24 * 3600
# A login ends when it is not used; its cookie only must not end before.
_LASTS_S: Final = {"login": 400 * DAY_S, "browser": DAY_S, "visitor": 90 * DAY_S}


def cookie_name(origin: Origin, use: CookieUse) -> str:
    """Return the name of a cookie at this origin."""
    return f"__Host-mahjic-{use}" if origin.is_secure else f"mahjic-{use}-here"


def token_in(request: Request, origin: Origin, use: CookieUse) -> str | None:
    """Return the token in a cookie, None if there is none."""
    return read_cookie(request.scope, cookie_name(origin, use))


def set_token(response: Response, origin: Origin, use: CookieUse, token: str) -> None:
    """Give a browser a token to keep. No script reads it, and other sites' requests go without."""
    _set(response, origin, use, token, _LASTS_S[use])


def take_token(response: Response, origin: Origin, use: CookieUse) -> None:
    """Have a browser forget a token."""
    _set(response, origin, use, "", 0)


def _set(response: Response, origin: Origin, use: CookieUse, value: str, lasts_s: int) -> None:
    response.set_cookie(
        cookie_name(origin, use),
        value,
        max_age=lasts_s,
        path="/",
        secure=origin.is_secure,
        httponly=True,
        samesite="lax",
    )
