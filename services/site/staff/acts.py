"""The page on which staff read what all of them did, and whom they looked at: by ids."""

import re
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.acts import list_acts
from services.site.kit.words import _
from services.site.login.door import lead_off
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from shared.http.routes import Route

ACTS_PATH: Final = f"{STAFF_PATH}/acts"
ACTS_SHOWN: Final = 50
# The number of an act, which fits into a bigint.
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}")


async def acts_page(request: Request, at: AtStaff) -> Response:
    """Show the newest acts, or those before one."""
    asked = request.query_params.get("before", "")
    before = int(asked) if _NUMBER.fullmatch(asked) else None
    acts = await list_acts(at.room.door.accounts, before=before, limit=ACTS_SHOWN)
    return at.page(
        "staff/acts.html",
        title=_("What staff did"),
        words=_("What staff did and whom they looked at. Nobody can change this list."),
        tab="/acts",
        acts=acts,
        older=f"{ACTS_PATH}?before={acts[-1].number}" if len(acts) == ACTS_SHOWN else "",
    )


async def moved_acts(_request: Request) -> Response:
    """Lead from where the list was to where it is, whoever asks."""
    return lead_off(ACTS_PATH)


MOVED_ROUTES: Final = (Route("GET", "/account/acts", moved_acts, ignores_unknown=True),)
