"""The page on which people have themselves forgotten, and the one after it."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.logging_in.logins import LoginNotFresh
from services.accounts.members.changing import owned_alone
from services.accounts.own.own_addresses import list_addresses
from services.site.kit.cookies import take_token
from services.site.kit.pages import PageHead, Site, SitePages
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.me.people import LoggedIn
from services.site.me.rights import FORGET_WORDS, NotTheMahjicId, Rights
from services.site.me.room import Mine, OwnRoom
from shared.http.browser.forms import read_form
from shared.http.routes import Route

PATH: Final = "/me/forget"
FORGOTTEN_PATH: Final = "/forgotten"
SHOWN_CHARACTERS_MAX: Final = 40


async def forget_page(request: Request, site: Site, mine: Mine) -> Response:
    """Say what it means to be forgotten, and ask whether that is wanted."""
    person = await mine.visitor(request)
    return person if isinstance(person, Response) else await _asked(site, mine, person)


async def forget(request: Request, site: Site, mine: Mine, rights: Rights) -> Response:
    """Forget whoever is logged in, and log out."""
    person = await mine.acting(request)
    typed = (await read_form(request)).get("typed", "")
    try:
        await rights.forgetting.forget(person.login, typed)
    except NotTheMahjicId as mistaken:
        return await _asked(site, mine, person, typed=typed, mistake=mistaken)
    except LoginNotFresh:
        return await _asked(site, mine, person, status=LoginNotFresh.status)
    response = lead_to(FORGOTTEN_PATH)
    take_token(response, mine.door.origin, "login")
    take_token(response, mine.door.origin, "browser")
    return response


async def forgotten_page(site: Site) -> Response:
    """Say that it is done. Whoever opens it sees the same: it no longer knows anyone."""
    words = _("Nothing on this site says who you are anymore.")
    head = PageHead.unlisted(_("You are forgotten"), words)
    return site.personal("me/forgotten.html", head)


async def _asked(
    site: SitePages,
    mine: OwnRoom,
    person: LoggedIn,
    *,
    typed: str = "",
    mistake: NotTheMahjicId | None = None,
    status: int = 200,
) -> Response:
    return mine.page(
        site,
        "me/forget.html",
        title=_("Forget me"),
        words=_("What is erased, what stays, and how to do it."),
        status=mistake.status if mistake else status,
        players=person.players,
        addresses=await list_addresses(mine.door.accounts, person.login),
        owned_alone=await owned_alone(mine.door.accounts, person.login),
        is_staff=person.login.role is not None,
        is_fresh=mine.is_fresh(person),
        forget_words=FORGET_WORDS,
        typed=typed[:SHOWN_CHARACTERS_MAX],
        mistake=mistake.detail if mistake else "",
    )


FORGET_ROUTES: Final = (
    Route("GET", PATH, forget_page, ignores_unknown=True),
    Route("POST", PATH, forget),
    Route("GET", FORGOTTEN_PATH, forgotten_page, ignores_unknown=True),
)
