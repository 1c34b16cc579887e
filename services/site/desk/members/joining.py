"""The page behind the link of an invitation: what one is asked to do, and by whom; yes or no.

Opening it changes nothing. Only an account that has proved the address finds anything there.
"""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.inviting import (
    INVITATION_PATH,
    accept_invitation,
    decline_invitation,
    own_invitation,
)
from services.site.desk.at_desk import DESK_PATH, DeskRoomPort
from services.site.kit.pages import PageHead, Site
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.me.tabs import TABS
from shared.http.routes import Route

ONE_PATH: Final = INVITATION_PATH + "{invitation_id}"


async def invitation_page(
    request: Request, site: Site, room: DeskRoomPort, invitation_id: str
) -> Response:
    """Show an invitation to whom it is for."""
    login = await room.visitor(request)
    if isinstance(login, Response):
        return login
    invitation = await own_invitation(room.door.accounts, login, invitation_id)
    title = _("You are invited by {}").format(invitation.name)
    head = PageHead.unlisted(title)
    return site.personal(
        "desk/members/invitation.html",
        head,
        current="me",
        invitation=invitation,
        tabs=TABS,
        tab="",
    )


async def accept(request: Request, room: DeskRoomPort, invitation_id: str) -> Response:
    """Say yes, and come to the desk."""
    login = await room.door.known_login(request)
    source = await accept_invitation(room.door.accounts, login, invitation_id)
    return lead_to(f"{DESK_PATH}/{source}?joined=yes")


async def decline(request: Request, room: DeskRoomPort, invitation_id: str) -> Response:
    """Say no."""
    login = await room.door.known_login(request)
    await decline_invitation(room.door.accounts, login, invitation_id)
    return lead_to(f"{DESK_PATH}?declined=yes")


INVITATION_ROUTES: Final = (
    Route("GET", ONE_PATH, invitation_page, ignores_unknown=True),
    Route("POST", ONE_PATH + "/accept", accept, ignores_unknown=True),
    Route("POST", ONE_PATH + "/decline", decline, ignores_unknown=True),
)
