"""The page on how an account is entered: addresses, passkeys, and where it is logged in."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.limits import TooManyMails
from services.accounts.logging_in.logins import (
    Login,
    check_fresh,
    check_whole,
    end_login,
    end_other_logins,
    list_logins,
)
from services.accounts.logging_in.proofs import Asking, ProofGone, WrongCode, ask_for_proof
from services.accounts.own.joining import join_accounts, needs_other_passkey
from services.accounts.own.own_addresses import (
    AddressRefused,
    add_by_code,
    add_by_link,
    list_addresses,
    remove_address,
)
from services.accounts.own.passkeys import (
    is_mail_login_on,
    list_passkeys,
    name_passkey,
    remove_passkey,
    set_mail_login,
)
from services.site.kit.cookies import take_token
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.asking import ADDED_CODE_PATH, show_sent
from services.site.login.door import Door, LoginDoor, browser_of, lead_off, lead_to
from services.site.me.tabs import TABS
from shared.addresses import UnreadableAddress, read_address
from shared.http.browser.forms import read_form
from shared.http.routes import Route

PATH: Final = "/account"
JOIN_PATH: Final = "/account/join"


async def account_page(request: Request, site: Site, door: Door) -> Response:
    """Show how this account is entered, and what can be changed about that."""
    login = await _login_for_page(request, door)
    if isinstance(login, Response):
        return login
    if login.kind == "first_passkey":
        head = _head(_("Add your passkey"))
        return site.personal(
            "login/first_passkey.html", head, has_passkeys=door.origin.has_passkeys
        )
    return await _account(site, door, login)


async def log_out(request: Request, door: Door) -> Response:
    """End the login of this browser."""
    login = await door.login(request)
    if login is not None:
        await end_login(door.accounts, login, login.login_id)
    response = lead_to("/")
    take_token(response, door.origin, "login")
    return response


async def end_one_login(request: Request, door: Door) -> Response:
    """End a login in another browser, or all others."""
    login = await door.known_login(request)
    check_whole(login)
    form = await read_form(request)
    if "login" in form:
        await end_login(door.accounts, login, form["login"])
    else:
        await end_other_logins(door.accounts, login)
    return lead_to(f"{PATH}#logins")


async def rename_passkey(request: Request, door: Door) -> Response:
    """Give a passkey another name."""
    login = await door.known_login(request)
    form = await read_form(request)
    await name_passkey(door.accounts, login, form.get("passkey", ""), form.get("name", ""))
    return lead_to(f"{PATH}#passkeys")


async def drop_passkey(request: Request, door: Door) -> Response:
    """Remove a passkey."""
    login = await door.known_login(request)
    await remove_passkey(door.accounts, login, (await read_form(request)).get("passkey", ""))
    return lead_to(f"{PATH}#passkeys")


async def switch_mail_login(request: Request, door: Door) -> Response:
    """Switch login by mail on or off."""
    login = await door.known_login(request)
    is_on = (await read_form(request)).get("mail") == "on"
    await set_mail_login(door.accounts, login, is_on=is_on)
    return lead_to(f"{PATH}#passkeys")


async def ask_to_add(request: Request, site: Site, door: Door) -> Response:
    """Have a proof mailed to another address of this account's owner."""
    login = await door.known_login(request)
    typed = (await read_form(request)).get("email", "")
    browser_token = door.known_browser(request)
    try:
        address = read_address(typed)
        asking = Asking(
            address,
            browser_token,
            browser_of(request),
            door.network_of(request),
            PATH,
            login.account_id,
        )
        check_fresh(door.accounts, login)
        await ask_for_proof(door.accounts, asking)
    except UnreadableAddress as error:
        return await _account(site, door, login, typed=typed, mistake=str(error))
    except TooManyMails as refused:
        return await _account(site, door, login, typed=typed, mistake=refused.detail)
    return door.keep_browser(lead_to("/login/sent"), browser_token)


async def add_with_code(request: Request, site: Site, door: Door) -> Response:
    """Add the address whose code was typed."""
    login = await door.known_login(request)
    typed = (await read_form(request)).get("code", "")
    browser_token = door.browser_token(request) or ""
    try:
        added = await add_by_code(door.accounts, login, browser_token, typed)
    except WrongCode as wrong:
        if not wrong.left:
            raise ProofGone from None
        return await show_sent(request, site, door, mistake=wrong.detail)
    return lead_to(JOIN_PATH if added == "elsewhere" else f"{PATH}#addresses")


async def add_with_link(request: Request, door: Door) -> Response:
    """Add the address whose link was opened in this browser."""
    login = await door.known_login(request)
    added = await add_by_link(door.accounts, login, (await read_form(request)).get("token", ""))
    return lead_to(JOIN_PATH if added == "elsewhere" else f"{PATH}#addresses")


async def drop_address(request: Request, door: Door) -> Response:
    """Remove an address from the account, and from its player."""
    login = await door.known_login(request)
    form = await read_form(request)
    if form.get("sure") != "yes":
        raise AddressRefused(_("Check the box that says you are sure, and press again."))
    await remove_address(door.accounts, login, form.get("email", ""))
    return lead_to(f"{PATH}#addresses")


async def join_page(request: Request, site: Site, door: Door) -> Response:
    """Say that an address belongs to another account, and what joining the two needs."""
    login = await _login_for_page(request, door)
    if isinstance(login, Response):
        return login
    if login.beside is None:
        return lead_off(PATH)
    needs_passkey = await needs_other_passkey(door.accounts, login)
    head = _head(_("Join two accounts"))
    return site.personal("login/join.html", head, needs_passkey=needs_passkey)


async def join(request: Request, door: Door) -> Response:
    """Make one account of two."""
    login = await door.known_login(request)
    await join_accounts(door.accounts, login)
    return lead_to(PATH)


async def _login_for_page(request: Request, door: LoginDoor) -> Login | Response:
    """Return who is logged in, or what leads to the login and back here."""
    door.check_open()
    login = await door.login(request)
    if login is None:
        return lead_off(f"/login?to={quote(request.url.path)}")
    return login


async def _account(
    site: SitePages, door: LoginDoor, login: Login, *, typed: str = "", mistake: str = ""
) -> Response:
    shown: Mapping[str, object] = {
        "addresses": await list_addresses(door.accounts, login),
        "passkeys": await list_passkeys(door.accounts, login),
        "logins": await list_logins(door.accounts, login),
        "mail_login": await is_mail_login_on(door.accounts, login),
    }
    return site.personal(
        "login/account.html",
        _head(_("Your account")),
        status=422 if mistake else 200,
        current="me",
        tabs=TABS,
        tab=PATH,
        here=login,
        is_fresh=login.is_fresh(door.accounts.chance.now()),
        has_passkeys=door.origin.has_passkeys,
        typed=typed,
        mistake=mistake,
        **shown,
    )


def _head(title: str) -> PageHead:
    words = _("Your addresses, your passkeys, and where you are logged in.")
    return PageHead.unlisted(title, words)


ACCOUNT_ROUTES: Final = (
    Route("GET", PATH, account_page, ignores_unknown=True),
    Route("POST", "/logout", log_out, ignores_unknown=True),
    Route("POST", "/account/logins/end", end_one_login),
    Route("POST", "/account/passkeys/name", rename_passkey),
    Route("POST", "/account/passkeys/remove", drop_passkey),
    Route("POST", "/account/mail-login", switch_mail_login),
    Route("POST", "/account/addresses", ask_to_add),
    Route("POST", ADDED_CODE_PATH, add_with_code),
    Route("POST", "/account/addresses/link", add_with_link),
    Route("POST", "/account/addresses/remove", drop_address),
    Route("GET", JOIN_PATH, join_page, ignores_unknown=True),
    Route("POST", JOIN_PATH, join),
)
