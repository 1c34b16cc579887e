"""The first page of the staff desk."""

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.staff.at_staff import AtStaff


async def staff_page(_request: Request, at: AtStaff) -> Response:
    """Show what there is to do for whoever asks."""
    return at.page("staff/start.html", title=_("Staff desk"), tab="")
