"""The way to one's desk, and its first page."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.desks import desks_of
from services.accounts.members.inviting import own_invitations
from services.site.desk.at_desk import DESK_PATH, AtDesk, DeskRoomPort
from services.site.desk.night.keeping import keeper_of
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.login.door import lead_off
from services.site.me.tabs import TABS

# What may be told on top after something was done.
OFF_DESK: Final[Mapping[str, str]] = {
    "left": _("You have left that desk. Thank you for your help."),
    "declined": _("You said no. The owners of the club see that, and nothing else about you."),
}
AT_DESK: Final[Mapping[str, str]] = {
    "dropped": _("Thrown away. Nothing of it was sent."),
    "joined": _("Welcome! You keep score here from now on."),
}


async def own_desks(request: Request, site: Site, room: DeskRoomPort) -> Response:
    """List the desks of whoever is logged in. Who has only one is led straight there."""
    login = await room.visitor(request)
    if isinstance(login, Response):
        return login
    desks = await desks_of(room.door.accounts, login)
    invited = await own_invitations(room.door.accounts, login)
    told = _told(request, OFF_DESK)
    if len(desks) == 1 and not invited and not told:
        return lead_off(f"{DESK_PATH}/{desks[0].source}")
    title = _("Your desks") if desks or invited else _("You have no desk yet")
    head = PageHead.unlisted(title)
    return site.personal(
        "desk/own_desks.html",
        head,
        current="me",
        desks=desks,
        invited=invited,
        told=told,
        tabs=TABS,
        tab="",
    )


async def desk_page(request: Request, at: AtDesk) -> Response:
    """Show what there is to do at a desk, with the nights that are not sent yet."""
    return at.page(
        "desk/start.html",
        title=at.desk.name,
        tab="",
        waiting=await at.room.nights.open_nights(at.login, at.desk.source),
        sheets=await at.room.sheets.open_sheets(at.login, at.desk.source),
        keeper=keeper_of(at),
        disputes=len(await at.room.sessions.disputes(at.desk.source)),
        told=_told(request, AT_DESK),
        is_new=not await at.room.nights.has_played(at.desk.source),
    )


def _told(request: Request, words: Mapping[str, str]) -> str:
    """Return what the page before had done, if it says so in the address."""
    return next((words[each] for each in words if request.query_params.get(each) == "yes"), "")
