"""Taking a session out, asked first; bringing it back; and beginning its correction."""

from functools import wraps

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.sessions.listing import SESSIONS_TAB
from services.site.desk.sessions.recorded import ChangeRefused
from services.site.desk.sessions.session_words import REASON_WORDS, session_title
from services.site.desk.sessions.why_changed import NO_WHY, WhyChanged, read_why
from services.site.desk.table import DeskHandler
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from shared.http.browser.forms import read_form
from shared.limits import NOTE_CHARACTERS_MAX


def _unless_refused(change: DeskHandler) -> DeskHandler:
    """Return a change that says why nothing was changed if it is refused."""

    @wraps(change)
    async def told(request: Request, at: AtDesk) -> Response:
        try:
            return await change(request, at)
        except ChangeRefused as refused:
            return at.page(
                "desk/sessions/refused.html",
                title=_("Nothing was changed"),
                tab=SESSIONS_TAB,
                status=refused.status,
                here=at.path(f"{SESSIONS_TAB}/{request.path_params['session_id']}"),
                why=refused.detail,
                newest=refused.newest,
            )

    return told


async def void_page(request: Request, at: AtDesk) -> Response:
    """Ask whether a session is to be taken out, why, and say what that would do."""
    return await _asked(request, at, NO_WHY)


@_unless_refused
async def void(request: Request, at: AtDesk) -> Response:
    """Take a session out, once however often it is pressed."""
    why = read_why(await read_form(request))
    if why.reason is None or why.wrong:
        return await _asked(request, at, why)
    session_id = request.path_params["session_id"]
    await at.room.sessions.take_out(
        at.login, at.desk.source, session_id, reason=why.reason, note=why.note or None
    )
    return lead_to(at.path(f"{SESSIONS_TAB}/{session_id}?done=voided"))


@_unless_refused
async def bring_back(request: Request, at: AtDesk) -> Response:
    """Let a session that was taken out count again as it was."""
    session_id = request.path_params["session_id"]
    newest = await at.room.sessions.bring_back(at.login, at.desk.source, session_id)
    return lead_to(at.path(f"{SESSIONS_TAB}/{newest}?done=back"))


@_unless_refused
async def begin_correcting(request: Request, at: AtDesk) -> Response:
    """Fill the form of a night with a session, and lead there."""
    session_id = request.path_params["session_id"]
    draft_id = await at.room.sessions.correct(at.login, at.desk.source, session_id)
    return lead_to(at.path(f"/night/{draft_id}"))


async def _asked(request: Request, at: AtDesk, why: WhyChanged) -> Response:
    session = await at.room.sessions.one(
        at.login, at.desk.source, request.path_params["session_id"]
    )
    here = at.path(f"{SESSIONS_TAB}/{session.session_id}")
    if session.status in {"voided", "corrected"}:
        return lead_off(here)
    return at.page(
        "desk/sessions/void.html",
        title=_("Take a session out"),
        tab=SESSIONS_TAB,
        here=here,
        named=session_title(session.day),
        session=session,
        status=422 if why.wrong else 200,
        reason_words=REASON_WORDS,
        note_max=NOTE_CHARACTERS_MAX,
        why=why,
    )
