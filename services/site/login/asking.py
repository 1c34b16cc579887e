"""Pages to ask for a link to log in, and to type the code of its mail.

What they answer is the same whether or not an address has an account: asking never looks.
"""

from typing import Annotated, Final, TypeAlias

from fastapi import Query, Request
from starlette.responses import Response

from services.accounts.logging_in.entering import log_in_by_code
from services.accounts.logging_in.limits import TooManyMails
from services.accounts.logging_in.proofs import (
    AddressProof,
    Asking,
    ProofGone,
    WrongCode,
    ask_for_proof,
    look_at_asked,
)
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.door import Door, LoginDoor, browser_of, lead_off, lead_to, local_path
from shared.addresses import UnreadableAddress, read_address
from shared.http.browser.forms import read_form
from shared.http.routes import Route

LOGIN_PATH: Final = "/login"
SENT_PATH: Final = "/login/sent"
CODE_PATH: Final = "/login/code"
ADDED_CODE_PATH: Final = "/account/addresses/code"
SHOWN_ADDRESS_CHARACTERS_MAX: Final = 254
UNPROCESSABLE: Final = 422

LeadsTo: TypeAlias = Annotated[str, Query(alias="to")]


async def login_page(request: Request, site: Site, door: Door, to: LeadsTo = "") -> Response:
    """Show the form for the address, and the button for a passkey."""
    if not door.origin.has_login:
        return site.personal("login/closed.html", _head(_("You can’t log in here")), status=403)
    door.check_open()
    login = await door.login(request)
    return _form(site, door, leads_to=local_path(to), is_logged_in=login is not None)


async def ask(request: Request, site: Site, door: Door) -> Response:
    """Have a link and a code mailed to the address in the form."""
    door.check_open()
    form = await read_form(request)
    typed, leads_to = form.get("email", ""), local_path(form.get("to", ""))
    try:
        address = read_address(typed)
    except UnreadableAddress as error:
        return _form(site, door, leads_to=leads_to, typed=typed, mistake=str(error))
    browser_token = door.known_browser(request)
    asking = Asking(address, browser_token, browser_of(request), door.network_of(request), leads_to)
    try:
        await ask_for_proof(door.accounts, asking)
    except TooManyMails as refused:
        page = _form(site, door, leads_to=leads_to, typed=typed, mistake=refused.detail, status=429)
        page.headers.update(refused.headers)
        return page
    return door.keep_browser(lead_to(SENT_PATH), browser_token)


async def sent_page(request: Request, site: Site, door: Door) -> Response:
    """Say that the mail is on its way, and take the code."""
    door.check_open()
    try:
        return await show_sent(request, site, door)
    except ProofGone:
        return lead_off(LOGIN_PATH)


async def enter_code(request: Request, site: Site, door: Door) -> Response:
    """Log in with the code of the mail."""
    door.check_open()
    typed = (await read_form(request)).get("code", "")
    browser_token = door.browser_token(request)
    try:
        if browser_token is None:
            raise ProofGone
        begun = await log_in_by_code(door.accounts, browser_token, typed, door.entrance(request))
    except WrongCode as wrong:
        if wrong.left:
            return await show_sent(request, site, door, mistake=wrong.detail)
        raise ProofGone from None
    return door.entered(begun)


async def show_sent(
    request: Request, site: SitePages, door: LoginDoor, *, mistake: str = ""
) -> Response:
    """Answer with the page that takes the code. Raises ProofGone."""
    proof = await asked_proof(request, door)
    return site.personal(
        "login/sent.html",
        _head(_("Check your mail")),
        status=UNPROCESSABLE if mistake else 200,
        proof=proof,
        mistake=mistake,
        mail_goes=door.mail_goes,
        code_path=CODE_PATH if proof.for_account is None else ADDED_CODE_PATH,
    )


async def asked_proof(request: Request, door: LoginDoor) -> AddressProof:
    """Return what this browser asked for last. Raises ProofGone."""
    browser_token = door.browser_token(request)
    if browser_token is None:
        raise ProofGone
    return await look_at_asked(door.accounts, browser_token)


def _form(
    site: SitePages,
    door: LoginDoor,
    *,
    leads_to: str,
    typed: str = "",
    mistake: str = "",
    is_logged_in: bool = False,
    status: int = 200,
) -> Response:
    return site.personal(
        "login/login.html",
        _head(_("Log in")),
        status=status if status != 200 or not mistake else UNPROCESSABLE,
        leads_to=leads_to,
        typed=typed[:SHOWN_ADDRESS_CHARACTERS_MAX],
        mistake=mistake,
        is_logged_in=is_logged_in,
        has_passkeys=door.origin.has_passkeys,
        mail_goes=door.mail_goes,
    )


def _head(title: str) -> PageHead:
    words = _("Log in to Mahjic with a link that we mail you, or with a passkey.")
    return PageHead.unlisted(title, words)


ASKING_ROUTES: Final = (
    Route("GET", LOGIN_PATH, login_page, ignores_unknown=True),
    Route("POST", LOGIN_PATH, ask, ignores_unknown=True),
    Route("GET", SENT_PATH, sent_page, ignores_unknown=True),
    Route("POST", CODE_PATH, enter_code, ignores_unknown=True),
)
