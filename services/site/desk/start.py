"""The way to one's desk, and its first page."""

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.desks import desks_of
from services.site.desk.at_desk import DESK_PATH, AtDesk, DeskRoomPort
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.login.door import lead_off
from services.site.me.tabs import TABS


async def own_desks(request: Request, site: Site, room: DeskRoomPort) -> Response:
    """List the desks of whoever is logged in. Who has only one is led straight there."""
    login = await room.visitor(request)
    if isinstance(login, Response):
        return login
    desks = await desks_of(room.door.accounts, login)
    if len(desks) == 1:
        return lead_off(f"{DESK_PATH}/{desks[0].source}")
    title = _("Your desks") if desks else _("You have no desk yet")
    head = PageHead(title=title, description=title, path="", indexed=False)
    return site.personal("desk/own_desks.html", head, current="me", desks=desks, tabs=TABS, tab="")


async def desk_page(request: Request, at: AtDesk) -> Response:
    """Show what there is to do at a desk, with the nights that are not sent yet."""
    return at.page(
        "desk/start.html",
        title=at.desk.name,
        tab="",
        waiting=await at.room.nights.open_nights(at.login, at.desk.source),
        is_dropped=request.query_params.get("dropped") == "yes",
    )
