"""The way from "submit" to where one does: the desk, or what it takes to have one."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import DESK_PATH
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.login.door import Door, lead_off
from shared.http.routes import Route

SUBMIT_PATH: Final = "/submit"


async def submit_page(request: Request, site: Site, door: Door) -> Response:
    """Lead whoever is logged in to their desk, and tell everybody else how to get to one."""
    if door.origin.has_login and door.is_open() and await door.login(request) is not None:
        return lead_off(DESK_PATH)
    words = _("Where clubs, leagues and platforms send in what was played.")
    head = PageHead(title=_("Send in results"), description=words, path=SUBMIT_PATH, indexed=False)
    return site.personal("applying/submit.html", head)


SUBMIT_PAGES: Final = (Route("GET", SUBMIT_PATH, submit_page, ignores_unknown=True),)
