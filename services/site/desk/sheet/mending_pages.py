"""The page on which a sheet is drawn with its mistakes, and mended cell by cell."""

from collections.abc import Mapping, Sequence
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import DESK_PATH, AtDesk
from services.site.desk.night.keeping import draft_id_in
from services.site.desk.night.typed import KINDS
from services.site.desk.sheet.drawn_sheet import COLUMNS_DRAWN, ROWS_DRAWN, draw
from services.site.desk.sheet.mending import (
    EXAMPLE,
    number_in,
    part_sent,
    place_to_go,
    with_head,
    with_hidden_shown,
    with_row_below,
    with_typed,
    without_example,
    without_hidden,
    without_rows,
)
from services.site.desk.sheet.sheets import SheetDraft
from services.site.kit.pages import SitePages
from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.login.held import held_page
from shared.http.browser.forms import read_form
from shared.sheets.cells import Sheet, SheetMistake, SheetRefused

SHEET_TAB: Final = "/sheet"
# Every field that is drawn, full of the longest text; a usual part is a hundredth of it.
MEND_BYTES_MAX: Final = 2 << 20
MEND_FIELDS_MAX: Final = ROWS_DRAWN * COLUMNS_DRAWN + 10
# Mistakes about a sheet that says nothing of it anywhere: it can be said beside the sheet.
DATE_MISSING, KIND_MISSING = "date_missing", "game_type_missing"
HIDDEN: Final = frozenset({"hidden_rows", "hidden_columns"})


def mend_page(
    request: Request,
    at: AtDesk,
    draft: SheetDraft,
    mistakes: Sequence[SheetMistake] = (),
    *,
    refusal: str = "",
    status: int = 200,
) -> Response:
    """Show a sheet as a table of fields, with its mistakes."""
    assert draft.sheet is not None, "It is known which sheet counts."
    mistakes = mistakes or draft.mistakes
    part = number_in(request.query_params.get("part", ""))
    drawing = draw(draft.sheet, mistakes, part)
    whole = {each.code for each in mistakes if each.place.row is None}
    codes = {each.code for each in mistakes}
    return at.page(
        "desk/sheet/mend.html",
        title=_("Fix the sheet"),
        tab=SHEET_TAB,
        status=status,
        here=at.path(f"/sheet/{draft.draft_id}"),
        draft=draft,
        drawing=drawing,
        count=len(mistakes),
        kinds=KINDS,
        lacks_date=DATE_MISSING in whole,
        lacks_kind=KIND_MISSING in whole,
        has_hidden=bool(codes & HIDDEN),
        has_example=EXAMPLE in codes,
        refusal=refusal,
        is_changed=request.query_params.get("changed") == "yes",
        is_apart=request.query_params.get("apart") == "yes",
    )


async def mend_sheet(request: Request, at: AtDesk) -> Response:
    """Keep what was typed into the cells, do what the button says, and look again."""
    sent = await read_form(request, bytes_max=MEND_BYTES_MAX, fields_max=MEND_FIELDS_MAX)
    sheets, source = at.room.sheets, at.desk.source
    draft = await sheets.draft(at.login, source, draft_id_in(request))
    here, pressed = at.path(f"/sheet/{draft.draft_id}"), sent.get("do", "")
    if draft.state != "open":
        return lead_to(here)
    sheet = _chosen(draft, sent) if draft.sheet is None else _mended(draft.sheet, draft, sent)
    if sheet is None:
        return lead_to(here)
    version = number_in(sent.get("version", "")) or 0
    if draft.sheet is not None and _is_shifted(draft, sent, version):
        return lead_to(f"{here}?changed=yes")
    try:
        kept = await sheets.keep_cells(at.login, source, draft, sheet, version=version)
    except SheetRefused as refused:
        return mend_page(request, at, draft, refusal=refused.mistakes[0].message, status=422)
    if kept is not None and kept != draft.draft_id:
        return lead_to(at.path(f"/sheet/{kept}?apart=yes"))
    part, place = place_to_go(pressed) or (None, "")
    return lead_to(here if part is None else f"{here}?part={part}{place}")


async def hold_mended(request: Request, site: SitePages) -> Response:
    """Give back what somebody mended whose login has ended. Nothing of it is kept."""
    sent = await read_form(request, bytes_max=MEND_BYTES_MAX, fields_max=MEND_FIELDS_MAX)
    return held_page(request, site, sent, leads_to=DESK_PATH)


def _is_shifted(draft: SheetDraft, sent: Mapping[str, str], version: int) -> bool:
    """Return whether the rows of a form are others now: it was sent twice, or by two people."""
    assert draft.sheet is not None, "Nothing else is drawn."
    return version != draft.version and number_in(sent.get("rows", "")) != len(draft.sheet.rows)


def _chosen(draft: SheetDraft, sent: Mapping[str, str]) -> Sheet | None:
    """Return the sheet of a workbook that somebody chose."""
    return next((each for each in draft.book if each.name == sent.get("sheet")), None)


def _mended(before: Sheet, draft: SheetDraft, sent: Mapping[str, str]) -> Sheet:
    sheet = with_typed(before, sent, part_sent(sent))
    row = number_in(sent.get("row", ""))
    match sent.get("do"):
        case "show":
            sheet = with_hidden_shown(sheet)
        case "strike":
            sheet = without_hidden(sheet)
        case "example":
            sheet = without_example(sheet, before, draft.mistakes)
        case "insert" if row is not None:
            sheet = with_row_below(sheet, row)
        case "clear" if row is not None:
            sheet = without_rows(sheet, {row})
    return with_head(sheet, sent.get("date", ""), sent.get("kind", ""))
