"""The page on which somebody leaves the desk of a source. The last owner can't."""

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.changing import owned_alone, remove_member
from services.site.desk.at_desk import DESK_PATH, AtDesk
from services.site.kit.words import _
from services.site.login.door import lead_to


async def leave_page(_request: Request, at: AtDesk) -> Response:
    """Say what leaving means, and ask; the last owner reads why they can't."""
    alone = await owned_alone(at.room.door.accounts, at.login)
    return at.page(
        "desk/members/leave.html",
        title=_("Leave this desk"),
        tab="/leave",
        is_last_owner=at.desk.source in alone,
        is_fresh=at.is_fresh,
    )


async def leave(_request: Request, at: AtDesk) -> Response:
    """Leave."""
    own = at.login.account_id
    await remove_member(at.room.door.accounts, at.login, at.desk.source, own)
    return lead_to(f"{DESK_PATH}?left=yes")
