"""The page on which people get everything that is stored about them, as a file.

It needs a fresh login: whoever only found a browser open could otherwise take with them, at once,
what would be read page by page for hours.
"""

from typing import Final

from fastapi import Request
from starlette.responses import Response, StreamingResponse

from services.accounts.logging_in.logins import LoginNotFresh
from services.site.kit.pages import Site, SitePages
from services.site.kit.words import _
from services.site.me.people import LoggedIn
from services.site.me.rights import Rights
from services.site.me.room import Mine, OwnRoom
from shared.http.routes import Route

PATH: Final = "/me/download"
JSON: Final = "application/json"
FILE_NAME: Final = "mahjic.json"


async def download_page(request: Request, site: Site, mine: Mine) -> Response:
    """Say what is in the file, and show the button."""
    person = await mine.visitor(request)
    return person if isinstance(person, Response) else _asked(site, mine, person)


async def download(request: Request, site: Site, mine: Mine, rights: Rights) -> Response:
    """Send the file, while it is being made."""
    person = await mine.acting(request)
    try:
        pieces = await rights.downloads.everything(person.login)
    except LoginNotFresh:
        return _asked(site, mine, person, status=LoginNotFresh.status)
    headers = {
        "Content-Disposition": f'attachment; filename="{FILE_NAME}"',
        "Cache-Control": "no-store",
    }
    return StreamingResponse(pieces, media_type=JSON, headers=headers)


def _asked(site: SitePages, mine: OwnRoom, person: LoggedIn, *, status: int = 200) -> Response:
    return mine.page(
        site,
        "me/download.html",
        title=_("Everything about me"),
        words=_("Everything that is stored about you, as one file."),
        status=status,
        is_fresh=mine.is_fresh(person),
        has_player=bool(person.players),
    )


DOWNLOAD_ROUTES: Final = (
    Route("GET", PATH, download_page, ignores_unknown=True),
    Route("POST", PATH, download),
)
