"""What the script of the passkey buttons asks for: challenges to sign, and what they lead to."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from fastapi import Request
from pydantic import TypeAdapter
from starlette.responses import Response
from typing_extensions import TypedDict

from services.accounts.own.ceremonies import (
    PasskeyBrowser,
    log_in_by_passkey,
    passkey_to_add,
    passkey_to_log_in,
    read_new_passkey,
)
from services.accounts.own.joining import enter_beside_by_passkey
from services.accounts.own.passkeys import PasskeyRefused, add_passkey
from services.site.kit.cookies import set_token
from services.site.login.door import Door, LoginDoor, browser_of, local_path
from shared.http.bodies import read_strictly
from shared.http.routes import Route

# A credential with the largest keys and attestations there are takes some 6 KB.
CREDENTIAL_BYTES_MAX: Final = 32 << 10
_JSON: Final = "application/json"


class SentCredential(TypedDict):
    """What a browser sends of a passkey, and where it wants to go then."""

    credential: dict[str, Any]
    to: str


SENT: Final = TypeAdapter(SentCredential)


async def login_options(request: Request, door: Door) -> Response:
    """Give a challenge to log in with."""
    browser = _browser(request, door)
    answer = _answer(await passkey_to_log_in(door.accounts, browser))
    return door.keep_browser(answer, browser.token)


async def login_by_passkey(request: Request, door: Door) -> Response:
    """Log in with a passkey."""
    browser = _browser(request, door)
    sent = await _sent(request)
    leads_to = local_path(sent["to"])
    begun = await log_in_by_passkey(
        door.accounts, browser, sent["credential"], door.entrance(request), leads_to
    )
    response = _leads_to(begun.leads_to)
    set_token(response, door.origin, "login", begun.token)
    return response


async def new_passkey_options(request: Request, door: Door) -> Response:
    """Give a challenge to make a passkey with."""
    login = await door.known_login(request)
    browser = _browser(request, door)
    answer = _answer(await passkey_to_add(door.accounts, login, browser))
    return door.keep_browser(answer, browser.token)


async def new_passkey(request: Request, door: Door) -> Response:
    """Add a passkey, named after the browser in which it was made."""
    login = await door.known_login(request)
    browser = _browser(request, door)
    credential = (await _sent(request))["credential"]
    name = browser_of(request)
    made = await read_new_passkey(door.accounts, login, browser, credential, name)
    await add_passkey(door.accounts, login, made)
    # Staff log in with it now.
    return _leads_to("/login" if login.kind == "first_passkey" else "/account")


async def passkey_beside(request: Request, door: Door) -> Response:
    """Take the passkey of the account that is to be joined."""
    login = await door.known_login(request)
    browser = _browser(request, door)
    credential = (await _sent(request))["credential"]
    await enter_beside_by_passkey(door.accounts, login, credential, browser)
    return _leads_to("/account/join")


def _browser(request: Request, door: LoginDoor) -> PasskeyBrowser:
    door.check_open()
    if not door.origin.has_passkeys:
        raise PasskeyRefused("Passkeys are bound to a name, and this site is reached by address.")
    return PasskeyBrowser(door.origin.url, door.known_browser(request))


async def _sent(request: Request) -> SentCredential:
    return await read_strictly(request, SENT, bytes_max=CREDENTIAL_BYTES_MAX)


def _leads_to(path: str) -> Response:
    told: Mapping[str, str] = {"leads_to": path}
    return _answer(orjson.dumps(told))


def _answer(body: str | bytes) -> Response:
    return Response(body, media_type=_JSON, headers={"Cache-Control": "no-store"})


KEY_ROUTES: Final = (
    Route("POST", "/login/passkey/options", login_options),
    Route("POST", "/login/passkey", login_by_passkey),
    Route("POST", "/account/passkeys/options", new_passkey_options),
    Route("POST", "/account/passkeys", new_passkey),
    Route("POST", "/account/join/passkey", passkey_beside),
)
