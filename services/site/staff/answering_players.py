"""What players say about sessions, once their source has not answered in time."""

import re
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from shared.errors import MahjicError, NotFound
from shared.http.browser.forms import read_form
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, UnfitText

TAB: Final = "/disputes"
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}")
_NOTHING_TO_DO: Final = "nothing_to_dispute"


async def disputes_page(request: Request, at: AtStaff) -> Response:
    """List what waits for staff."""
    return at.page(
        "staff/disputes.html",
        title=_("Disputes"),
        tab=TAB,
        waiting=await at.room.disputes.waiting(),
        is_done=request.query_params.get("done") == "answered",
    )


async def dispute_page(request: Request, at: AtStaff) -> Response:
    """Show what a player says, and the form of an answer."""
    return await _shown(at, _number_in(request))


async def answer(request: Request, at: AtStaff) -> Response:
    """Answer a player, who is mailed that."""
    number = _number_in(request)
    typed = (await read_form(request)).get("answer", "")
    try:
        await at.room.disputes.answer(at.login, number, typed)
    except UnfitText as refused:
        return await _shown(at, number, typed=typed, mistake=refused)
    except MahjicError as refused:
        if refused.code != _NOTHING_TO_DO:
            raise
        return await _shown(at, number, mistake=refused)
    return lead_to(f"{STAFF_PATH}{TAB}?done=answered")


async def _shown(
    at: AtStaff, number: int, *, typed: str = "", mistake: MahjicError | None = None
) -> Response:
    told = await at.room.disputes.one(number)
    return at.page(
        "staff/dispute.html",
        title=_("A session that somebody did not play"),
        tab=TAB,
        status=mistake.status if mistake else 200,
        told=told,
        typed=typed[: 4 * SHORT_TEXT_CHARACTERS_MAX] or told.answer or "",
        mistake=mistake.detail if mistake else "",
        characters_max=SHORT_TEXT_CHARACTERS_MAX,
    )


def _number_in(request: Request) -> int:
    number = request.path_params["number"]
    if not _NUMBER.fullmatch(number):
        raise NotFound(_("There is no such dispute. Take one from the list."))
    return int(number)
