"""How far every part is behind what is on record."""

from datetime import datetime
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.staff.at_staff import AtStaff

TAB: Final = "/lag"


async def lag_page(_request: Request, at: AtStaff) -> Response:
    """Show how far each part is."""
    standing = await at.room.parts.standing()
    late = [each for each in standing.parts if each.behind or each.behind is None]
    unkept = [each for each in standing.parts if each.is_kept is False]
    return at.page(
        "staff/lag.html",
        title=_("How far behind we are"),
        tab=TAB,
        standing=standing,
        is_well=not late and not unkept,
        minutes_due=_minutes_due(standing.mails.oldest_due_at, standing.looked_at),
    )


def _minutes_due(since: datetime | None, now: datetime) -> int | None:
    """Return for how many minutes the mail that should have gone first is due."""
    return None if since is None else max(0, int((now - since).total_seconds() // 60))
