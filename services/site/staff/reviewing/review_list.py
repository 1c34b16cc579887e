"""The list of applications: those that wait for a decision, or those that are decided."""

import re
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.applications.deciding import LISTED_MAX, Listing, list_applications
from services.site.boards.places import SOURCE_TYPES
from services.site.kit.words import _
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from services.site.staff.reviewing.review_words import OPINIONS, STATES

TAB: Final = "/applications"
REVIEW_PATH: Final = f"{STAFF_PATH}{TAB}"
# The number of an application, which fits into a bigint.
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}")


async def applications_page(request: Request, at: AtStaff) -> Response:
    """List applications; whoever waits longest comes first, and what was decided last."""
    query = request.query_params
    listing: Listing = "decided" if query.get("which") == "decided" else "open"
    asked = query.get("after", "")
    after = int(asked) if _NUMBER.fullmatch(asked) else 0
    listed = await list_applications(at.room.door.accounts, at.login, listing, after=after)
    more = ""
    if len(listed) == LISTED_MAX:
        more = f"{REVIEW_PATH}?which={listing}&after={listed[-1].number}"
    return at.page(
        "staff/reviewing/list.html",
        title=_("Applications"),
        words=_("Clubs, leagues and platforms that want to become a source."),
        tab=TAB,
        listed=listed,
        listing=listing,
        more=more,
        types=SOURCE_TYPES,
        states=STATES,
        opinions=OPINIONS,
    )
