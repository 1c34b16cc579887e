"""Answers while a night is typed: it is kept, and the page hears what is missing or would happen.

A script of the page asks after each pause. Without it the buttons of the form do the same.
"""

from fastapi import Request
from starlette.responses import JSONResponse, Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.night.claiming import claim_of
from services.site.desk.night.keeping import (
    NO_STORE,
    NightSheet,
    draft_id_in,
    guests_at,
    keep_night,
    read_night,
    sheet_of,
)
from services.site.desk.night.missing import what_is_missing
from services.site.desk.night.nights import TriedNight
from services.site.desk.night.typed import read_night_form
from shared.errors import MahjicError


async def type_on(request: Request, at: AtDesk) -> Response:
    """Keep what is typed so far, and say what is missing, or what the night would do."""
    draft_id = draft_id_in(request)
    sent = await read_night(request)
    sheet = await sheet_of(at, read_night_form(sent), is_asked=False, is_typing=True)
    kept = await keep_night(at, draft_id, sent, sheet)
    if kept is None:
        leads_to = at.path(f"/night/{draft_id}/sent")
        return JSONResponse({"leads_to": leads_to}, headers=NO_STORE)
    today = at.room.nights.today_latest
    is_complete = not what_is_missing(sheet.night, sheet.seated, today_latest=today, is_asked=True)
    # What a correction moves is known only once it stands in the place of its session.
    tried = await _tried(at, sheet) if is_complete and not kept.is_correction else None
    return JSONResponse(
        {
            "action": at.path(f"/night/{kept.draft_id}"),
            "version": kept.version,
            "missing": sheet.missing,
            "is_complete": is_complete,
            "guests": _shown_guests(at, sheet),
            "tried": "" if tried is None else at.site.html("desk/night/tried.html", tried=tried),
        },
        headers=NO_STORE,
    )


async def _tried(at: AtDesk, sheet: NightSheet) -> TriedNight | None:
    """Return what a night would do, None if that can't be said just now."""
    try:
        return await at.room.nights.try_out(at.desk.source, claim_of(sheet.night, sheet.seated))
    except MahjicError:
        return None


def _shown_guests(at: AtDesk, sheet: NightSheet) -> dict[int, str]:
    """Return what to ask about the new people of each table that has any."""
    night = sheet.night
    return {
        table: at.site.html("desk/night/guests.html", night=night, numbers=numbers)
        for table, numbers in guests_at(night).items()
    }
