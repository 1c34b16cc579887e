"""Looking at a correction before it counts, and sending it, once."""

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.night.claiming import claim_of
from services.site.desk.night.entering import draft_at
from services.site.desk.night.keeping import NightSheet, sheet_of, version_in
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import NightDraft, TableResult, UnknownDraft
from services.site.desk.night.sending_pages import as_results, correction_path, whole_sheet
from services.site.desk.sessions.comparing import ComparedSession, differences
from services.site.desk.sessions.listing import SESSIONS_TAB
from services.site.desk.sessions.recorded import OwnSession
from services.site.desk.sessions.session_words import REASON_WORDS
from services.site.desk.sessions.why_changed import NO_WHY, WhyChanged, read_why
from services.site.kit.words import _
from services.site.login.door import lead_to
from shared.http.browser.forms import read_form
from shared.limits import NOTE_CHARACTERS_MAX


async def correction_page(request: Request, at: AtDesk) -> Response:
    """Show what a correction would change, and ask why."""
    draft = await _draft(request, at)
    sheet = await whole_sheet(at, draft)
    if isinstance(sheet, Response):
        return sheet
    return await _look(request, at, draft, sheet, NO_WHY)


async def send_correction(request: Request, at: AtDesk) -> Response:
    """Put a correction in the place of its session, and show that; or say why it was not."""
    form = await read_form(request)
    draft, why = await _draft(request, at), read_why(form)
    claim, sheet = None, await sheet_of(at, draft.night, is_asked=True)
    if draft.state == "open":
        if sheet.missing:
            return lead_to(at.path(f"/night/{draft.draft_id}?check=yes"))
        if why.reason is None or why.wrong:
            return await _look(request, at, draft, sheet, why)
        claim = claim_of(sheet.night, sheet.seated)
    sent = await at.room.nights.send_correction(
        at.login,
        at.desk.source,
        draft.draft_id,
        claim,
        version=version_in(form) or draft.version,
        reason=why.reason or "other",
        note=why.note or None,
        is_meant=form.get("meant") == "yes",
    )
    if sent.is_changed:
        return lead_to(f"{at.path(correction_path(draft))}?changed=yes")
    if sent.session_id is None:
        return await _look(request, at, draft, sheet, why, refusal=sent.refusal)
    return lead_to(at.path(f"{SESSIONS_TAB}/{sent.session_id}?done=corrected"))


async def _draft(request: Request, at: AtDesk) -> NightDraft:
    draft = await draft_at(request, at)
    if draft.corrects != request.path_params["session_id"]:
        raise UnknownDraft
    return draft


async def _look(
    request: Request,
    at: AtDesk,
    draft: NightDraft,
    sheet: NightSheet,
    why: WhyChanged,
    *,
    refusal: str = "",
) -> Response:
    session = await at.room.sessions.one(
        at.login, at.desk.source, request.path_params["session_id"]
    )
    typed = as_results(sheet)
    status = 409 if refusal else 422 if why.wrong else 200
    return at.page(
        "desk/sessions/correction.html",
        title=_("Look at the correction"),
        tab=SESSIONS_TAB,
        status=status,
        here=at.path(f"{SESSIONS_TAB}/{session.session_id}"),
        draft_path=at.path(f"/night/{draft.draft_id}"),
        action=at.path(correction_path(draft)),
        version=draft.version,
        is_changed=request.query_params.get("changed") == "yes",
        session=session,
        typed=typed,
        night=sheet.night,
        changed=_differences(session, sheet, typed),
        refusal=refusal,
        why=why,
        reason_words=REASON_WORDS,
        note_max=NOTE_CHARACTERS_MAX,
    )


def _differences(
    session: OwnSession, sheet: NightSheet, typed: Sequence[TableResult]
) -> Sequence[str]:
    old = ComparedSession(session.day, session.kind, session.tables)
    return differences(old, ComparedSession(read_day(sheet.night.day), sheet.night.kind, typed))
