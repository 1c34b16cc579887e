"""The page behind the link of a mail, and its button.

Mail scanners open every link, so opening it does nothing. The button logs in the browser in which
it is pressed, and the page says for whom, and who asked.
"""

from datetime import timedelta
from typing import Annotated, Final

from fastapi import Path, Request
from starlette.responses import Response

from services.accounts.logging_in.entering import log_in_by_link
from services.accounts.logging_in.proofs import LINK_PATH, look_at_link
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _, _n
from services.site.login.door import Door, lead_off
from shared.http.browser.forms import read_form
from shared.http.routes import Route

TOKEN_CHARACTERS_MAX: Final = 100
PRESS_PATH: Final = LINK_PATH.rstrip("/")


async def link_page(
    request: Request,
    site: Site,
    door: Door,
    token: Annotated[str, Path(max_length=TOKEN_CHARACTERS_MAX)],
) -> Response:
    """Say what a link is for, and show the button."""
    door.check_open()
    proof = await look_at_link(door.accounts, token)
    login = await door.login(request)
    is_to_add = proof.for_account is not None
    head = PageHead.unlisted(
        _("Add this address") if is_to_add else _("Log in"), _("Press the button to go on.")
    )
    return site.personal(
        "login/link.html",
        head,
        proof=proof,
        token=token,
        age=shown_age(proof.age),
        is_to_add=is_to_add,
        # Only its own account takes an address, in a browser that is logged in there.
        is_here=login is not None and login.account_id == proof.for_account,
    )


async def press_link(request: Request, door: Door) -> Response:
    """Use a link up, and log in this browser."""
    door.check_open()
    token = (await read_form(request)).get("token", "")
    return door.entered(await log_in_by_link(door.accounts, token, door.entrance(request)))


async def lead_to_login() -> Response:
    """Lead whoever opens the address of the button to the page for a new link."""
    return lead_off("/login")


def shown_age(age: timedelta) -> str:
    """Return how long ago something was asked for, in words."""
    minutes = int(age.total_seconds()) // 60
    if minutes < 1:
        return _("just now")
    return _n("{} minute ago", "{} minutes ago", minutes).format(minutes)


LINK_ROUTES: Final = (
    Route("GET", LINK_PATH + "{token}", link_page, ignores_unknown=True),
    Route("GET", PRESS_PATH, lead_to_login, ignores_unknown=True),
    Route("POST", PRESS_PATH, press_link, ignores_unknown=True),
)
