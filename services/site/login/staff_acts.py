"""The page on which staff read what all of them did, and whom they looked at: by ids."""

from typing import Annotated, Final, TypeAlias

from fastapi import Query, Request
from starlette.responses import Response

from services.accounts.acts import list_acts
from services.accounts.logging_in.logins import check_whole
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.login.door import Door
from shared.errors import NotFound
from shared.http.routes import Route

PATH: Final = "/account/acts"
ACTS_SHOWN: Final = 50

Before: TypeAlias = Annotated[int | None, Query(ge=1, lt=2**63)]


async def acts_page(request: Request, site: Site, door: Door, before: Before = None) -> Response:
    """Show the newest acts, or those before one. Whoever is no staff finds no such page."""
    login = await door.known_login(request)
    check_whole(login)
    if login.role is None:
        raise NotFound("There is nothing at this address.")
    acts = await list_acts(door.accounts, before=before, limit=ACTS_SHOWN)
    words = _("What staff did and whom they looked at. Nobody can change this list.")
    head = PageHead(title=_("What staff did"), description=words, path="", indexed=False)
    older = f"{PATH}?before={acts[-1].number}" if len(acts) == ACTS_SHOWN else ""
    return site.personal("login/acts.html", head, acts=acts, older=older)


ACTS_ROUTES: Final = (Route("GET", PATH, acts_page, ignores_unknown=True),)
