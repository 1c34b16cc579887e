"""The page on which a club, league or platform asks to become a source.

What is typed is kept until the address is proved, by a link that is mailed to it. Only whoever has
followed the link sends it.
"""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.limits import TooManyMails
from services.accounts.logging_in.logins import Login
from services.accounts.logging_in.proofs import Asking, ask_for_proof
from services.applications.reading import (
    DESCRIPTION_CHARACTERS_MAX,
    KEEPING_CHARACTERS_MAX,
    ApplicationMistaken,
    read_application,
)
from services.applications.rows import UnknownApplication
from services.applications.sending import (
    TooManyApplications,
    begin_application,
    own_application,
)
from services.site.applying.form import ShownForm, typed_form
from services.site.boards.places import ONE_OF_SOURCE_TYPES, REGIONS
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.asking import SENT_PATH
from services.site.login.door import Door, LoginDoor, browser_of, lead_to
from shared.http.browser.forms import read_form
from shared.http.routes import Route

APPLY_PATH: Final = "/become-a-source"
# A text that is far too long is told at its field, with everything that was typed.
APPLICATION_BYTES_MAX: Final = 512 << 10
# What the fields are made of.
CHOICES: Final[Mapping[str, Any]] = {
    # Most are clubs.
    "types": {each: ONE_OF_SOURCE_TYPES[each] for each in ("club", "league", "platform")},
    "regions": REGIONS,
    "description_max": DESCRIPTION_CHARACTERS_MAX,
    "keeping_max": KEEPING_CHARACTERS_MAX,
}
HEAD: Final = PageHead(
    title=_("Become a source"),
    description=_(
        "For clubs, leagues and platforms that want to send in what is played there: what it "
        "takes, and the application."
    ),
    path=APPLY_PATH,
)


async def apply_page(request: Request, site: Site, door: Door) -> Response:
    """Say what it takes to become a source, and show the form. It is the same for everyone."""
    return site.page(request, "applying/apply.html", HEAD, **_shown(door, ShownForm()))


async def apply(request: Request, site: Site, door: Door) -> Response:
    """Keep what an applicant says, and have a link mailed to them, by which they send it."""
    door.check_open()
    sent = await read_form(request, bytes_max=APPLICATION_BYTES_MAX)
    try:
        text = read_application(sent)
        application_id = await begin_application(
            door.accounts, text, network=door.network_of(request)
        )
        path = f"{APPLY_PATH}/{application_id}"
        login = await door.login(request)
        if login is not None and await _is_own(door, login, application_id):
            return lead_to(path)
        browser_token = door.known_browser(request)
        asking = Asking(
            text.address,
            browser_token,
            browser_of(request),
            door.network_of(request),
            path,
            is_to_apply=True,
        )
        await ask_for_proof(door.accounts, asking)
    except ApplicationMistaken as mistaken:
        return _again(site, door, typed_form(sent, mistaken))
    except (TooManyApplications, TooManyMails) as refused:
        page = _again(site, door, typed_form(sent), refused=refused.detail)
        page.headers.update(refused.headers)
        return page
    return door.keep_browser(lead_to(SENT_PATH), browser_token)


async def _is_own(door: LoginDoor, login: Login, application_id: str) -> bool:
    """Return whether somebody has proved the address already."""
    if login.kind == "first_passkey":
        return False
    try:
        await own_application(door.accounts, login, application_id)
    except UnknownApplication:
        return False
    return True


def _again(site: SitePages, door: LoginDoor, form: ShownForm, *, refused: str = "") -> Response:
    """Answer with the form, for what is still wrong with it."""
    status = 429 if refused else 422
    shown = _shown(door, form) | {"refused": refused}
    return site.personal("applying/apply.html", HEAD, status=status, **shown)


def _shown(door: LoginDoor, form: ShownForm) -> dict[str, Any]:
    return {
        **CHOICES,
        "form": form,
        "refused": "",
        "has_login": door.origin.has_login,
        "mail_goes": door.mail_goes,
    }


APPLY_PAGES: Final = (
    Route("GET", APPLY_PATH, apply_page, ignores_unknown=True),
    Route("POST", APPLY_PATH, apply, ignores_unknown=True),
)
