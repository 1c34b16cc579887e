"""Players who say that they did not play: what waits for an answer, and answering it."""

import re
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.sessions.listing import SESSIONS_TAB
from services.site.desk.sessions.one import show_session
from services.site.desk.sessions.recorded import AnswerRefused
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.errors import NotFound
from shared.http.browser.forms import read_form
from shared.own_words.short_texts import UnfitText

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


async def disputes_page(request: Request, at: AtDesk) -> Response:
    """List what players say about sessions of the club."""
    is_all = request.query_params.get("all") == "yes"
    after = request.query_params.get("after", "")
    found = await at.room.sessions.disputes(
        at.desk.source, is_all=is_all, after=int(after) if _NUMBER.fullmatch(after) else 0
    )
    later = f"?all=yes&after={found[-1].number}" if is_all and found else None
    return at.page(
        "desk/sessions/disputes.html",
        title=_("Players who say they did not play"),
        tab=SESSIONS_TAB,
        found=found,
        is_all=is_all,
        later=later,
    )


async def answer_page(request: Request, at: AtDesk) -> Response:
    """Answer a player, once however often it is pressed."""
    session_id, number = request.path_params["session_id"], request.path_params["number"]
    typed = (await read_form(request)).get("answer", "")
    if not _NUMBER.fullmatch(number):
        raise NotFound(_("Nobody says this about this session. Load its page again."))
    try:
        await at.room.sessions.answer(at.login, at.desk.source, session_id, int(number), typed)
    except (UnfitText, AnswerRefused) as refused:
        return await show_session(at, session_id, typed={int(number): typed}, refused=refused)
    return lead_to(at.path(f"{SESSIONS_TAB}/{session_id}?done=answered"))
