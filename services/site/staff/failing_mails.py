"""Mail that does not get through: what waits after a failed try, was refused or given up."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff

TAB: Final = "/mail"


async def mails_page(request: Request, at: AtStaff) -> Response:
    """List the mails that do not get through."""
    return at.page(
        "staff/mails.html",
        title=_("Mail that fails"),
        tab=TAB,
        standing=await at.room.mails.standing(),
        failing=await at.room.mails.failing(),
        done=request.query_params.get("done", ""),
    )


async def retry(request: Request, at: AtStaff) -> Response:
    """Have a mail tried at once."""
    await at.room.mails.retry(at.login, request.path_params["mail_id"])
    return lead_to(f"{STAFF_PATH}{TAB}?done=retried")


async def drop(request: Request, at: AtStaff) -> Response:
    """Give a mail up."""
    await at.room.mails.drop(at.login, request.path_params["mail_id"])
    return lead_to(f"{STAFF_PATH}{TAB}?done=dropped")
