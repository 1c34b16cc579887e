"""The pages on which a sheet is uploaded, looked at before it counts, and sent."""

from datetime import date
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.night.keeping import draft_id_in
from services.site.desk.night.nights import TriedNight
from services.site.desk.night.sending_pages import read_press, similar_nights, weekday_words
from services.site.desk.sheet.mending_pages import SHEET_TAB, mend_page
from services.site.desk.sheet.sheets import NO_ROUNDS, SheetDraft, TriedSheet
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from shared.http.browser.forms import read_form
from shared.http.problems import PayloadTooLarge
from shared.http.uploads import InvalidForm, read_upload
from shared.sheets.cells import SheetMistake

# What a sheet of another kind is told on a page, where the templates are near.
NO_SHEET: Final = _(
    "This is not a score sheet: no line starts a round, and no column has mahjongs. Fill in one of "
    "the sheets on this page, and upload that."
)


async def begin_sheet(_request: Request, at: AtDesk) -> Response:
    """Ask for a file. Nothing is kept before it comes."""
    return await _ask(at, at.room.sheets.new_draft_id())


async def upload_sheet(request: Request, at: AtDesk) -> Response:
    """Keep the sheet in a file and show what is in it, or say why it is none."""
    draft_id, sheets = draft_id_in(request), at.room.sheets
    try:
        async with sheets.taking(at.desk.source):
            content = await read_upload(request, types=(), bytes_max=sheets.bytes_max)
    except InvalidForm:
        return await _ask(at, draft_id, _("Choose a file first."), status=422)
    except PayloadTooLarge:
        words = _("The file is too large. A file is one night, without pictures.")
        return await _ask(at, draft_id, words, status=413)
    refused = await sheets.keep_file(at.login, at.desk.source, draft_id, content)
    if refused:
        return await _ask(at, draft_id, _words(refused[0]), status=422)
    return lead_to(at.path(f"/sheet/{draft_id}"))


async def open_sheet(request: Request, at: AtDesk) -> Response:
    """Show what a sheet would do, or every mistake in it."""
    draft = await at.room.sheets.draft(at.login, at.desk.source, draft_id_in(request))
    if draft.state == "sent":
        return lead_off(at.path(f"/night/{draft.draft_id}/sent"))
    if draft.state == "sending":
        return _page(at, draft, "sending.html", _("Not sent yet"))
    if draft.sheet is None:
        return _page(at, draft, "choose.html", _("Which sheet is the night?"))
    if draft.mistakes or not request.query_params.keys().isdisjoint({"part", "apart"}):
        return mend_page(request, at, draft)
    tried = await at.room.sheets.try_out(at.login, at.desk.source, draft.draft_id)
    if tried.mistakes:
        return mend_page(request, at, draft, tried.mistakes)
    is_changed = request.query_params.get("changed") == "yes"
    return await _look(at, draft, tried, is_changed=is_changed)


async def send_sheet(request: Request, at: AtDesk) -> Response:
    """Send a sheet, once; or say why it was not recorded."""
    form = await read_form(request)
    sheets, source = at.room.sheets, at.desk.source
    draft = await sheets.draft(at.login, source, draft_id_in(request))
    here = at.path(f"/sheet/{draft.draft_id}")
    if draft.state == "open" and draft.claim is None:
        return lead_to(here)
    sent = await sheets.send(at.login, source, draft, read_press(form, draft.version))
    if sent.is_changed:
        return lead_to(f"{here}?changed=yes")
    if sent.session_id is not None:
        return lead_to(at.path(f"/night/{draft.draft_id}/sent"))
    tried = await sheets.try_out(at.login, source, draft.draft_id)
    refusal = TriedNight(similar=sent.similar, refusal=sent.refusal)
    return await _look(at, draft, TriedSheet(refusal, tried.tables), status=409)


async def drop_sheet(request: Request, at: AtDesk) -> Response:
    """Throw a sheet away that nobody has sent."""
    await at.room.sheets.drop(at.login, at.desk.source, draft_id_in(request))
    return lead_to(at.path("?dropped=yes"))


async def _ask(at: AtDesk, draft_id: str, mistake: str = "", *, status: int = 200) -> Response:
    return at.page(
        "desk/sheet/upload.html",
        title=_("Upload a sheet"),
        tab=SHEET_TAB,
        status=status,
        here=at.path(f"/sheet/{draft_id}"),
        mistake=mistake,
        waiting=await at.room.sheets.open_sheets(at.login, at.desk.source),
    )


def _words(mistake: SheetMistake) -> str:
    """Return why a whole file is none, with the row if it is known."""
    if mistake.code == NO_ROUNDS:
        return NO_SHEET
    if mistake.place.row is None:
        return mistake.message
    return _("Row {}: {}").format(mistake.place.row, mistake.message)


async def _look(
    at: AtDesk,
    draft: SheetDraft,
    looked: TriedSheet,
    *,
    status: int = 200,
    is_changed: bool = False,
) -> Response:
    assert draft.claim is not None, "There is no mistake in it."
    tried, day = looked.tried, date.fromisoformat(draft.claim["session_date"])
    return _page(
        at,
        draft,
        "look.html",
        _("Look at the sheet"),
        status=status,
        is_changed=is_changed,
        day=day,
        weekday=weekday_words(day),
        has_points=draft.claim["game_type"] != "social",
        tables=looked.tables,
        tried=tried,
        similar=await similar_nights(at, tried),
    )


def _page(
    at: AtDesk, draft: SheetDraft, template: str, title: str, *, status: int = 200, **shown: object
) -> Response:
    shown |= {"draft": draft, "here": at.path(f"/sheet/{draft.draft_id}")}
    return at.page(f"desk/sheet/{template}", title=title, tab=SHEET_TAB, status=status, **shown)
