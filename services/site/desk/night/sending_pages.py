"""The pages on which a night is looked at before it counts, sent, and seen afterward."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import AtDesk
from services.site.desk.night.claiming import claim_of
from services.site.desk.night.entering import draft_at
from services.site.desk.night.keeping import NIGHT_TAB, NightSheet, sheet_of, version_in
from services.site.desk.night.missing import read_day
from services.site.desk.night.nights import (
    NightDraft,
    RecordedNight,
    SeatResult,
    SendAs,
    SendPressed,
    SentNight,
    TableResult,
    TriedNight,
)
from services.site.desk.night.numbers import read_count, read_games, read_points
from services.site.desk.night.seated import AtTable, seats_of
from services.site.desk.night.typed import TypedTable
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from shared.http.browser.forms import read_form

# Shown beside what is typed; more are never of one table.
SIMILAR_MAX: Final = 3
SEND_AS: Final[Sequence[SendAs]] = ("new", "correction", "another")


async def look_page(request: Request, at: AtDesk) -> Response:
    """Show what a night would do, or first what on record it looks like."""
    draft = await draft_at(request, at)
    sheet = await whole_sheet(at, draft)
    if isinstance(sheet, Response):
        return sheet
    if draft.corrects is not None:
        return lead_off(at.path(correction_path(draft)))
    tried = await at.room.nights.try_out(at.desk.source, claim_of(sheet.night, sheet.seated))
    is_changed = request.query_params.get("changed") == "yes"
    return await _look(at, draft, sheet, tried, is_changed=is_changed)


async def send_night(request: Request, at: AtDesk) -> Response:
    """Send a night, once, and show who moved; or say why it was not recorded."""
    form = await read_form(request)
    draft = await draft_at(request, at)
    claim = None
    sheet = await sheet_of(at, draft.night, is_asked=True)
    if draft.state == "open":
        if draft.corrects is not None:
            return lead_to(at.path(correction_path(draft)))
        if sheet.missing:
            return lead_to(at.path(f"/night/{draft.draft_id}?check=yes"))
        claim = claim_of(sheet.night, sheet.seated)
    pressed = read_press(form, draft.version)
    sent = await at.room.nights.send(at.login, at.desk.source, draft.draft_id, claim, pressed)
    if sent.is_changed:
        return lead_to(at.path(f"/night/{draft.draft_id}/look?changed=yes"))
    if sent.session_id is None:
        return await _refused(at, draft, sheet, sent)
    return lead_to(at.path(f"/night/{draft.draft_id}/sent"))


async def sent_page(request: Request, at: AtDesk) -> Response:
    """Show who moved from where to where; also how to go on if sending broke off."""
    draft = await draft_at(request, at)
    if draft.state == "open":
        return lead_off(at.path(f"/night/{draft.draft_id}"))
    recorded: RecordedNight | None = None
    if draft.session_id is not None:
        recorded = await at.room.nights.recorded(at.desk.source, draft.session_id)
    day = read_day(draft.night.day)
    return at.page(
        "desk/night/sent.html",
        title=_("The night is sent") if draft.state == "sent" else _("Not sent yet"),
        tab=NIGHT_TAB,
        here=at.path(f"/night/{draft.draft_id}"),
        day=day,
        weekday=weekday_words(day) if day else "",
        draft=draft,
        recorded=recorded,
    )


async def whole_sheet(at: AtDesk, draft: NightDraft) -> NightSheet | Response:
    """Return a night with all that it takes, or what leads to where it is missing or was sent."""
    if draft.state != "open":
        return lead_off(at.path(f"/night/{draft.draft_id}/sent"))
    sheet = await sheet_of(at, draft.night, is_asked=True)
    if sheet.missing:
        return lead_off(at.path(f"/night/{draft.draft_id}?check=yes"))
    return sheet


def read_press(form: Mapping[str, str], newest: int) -> SendPressed:
    """Return what came with a press; a form without a version means the newest one."""
    send_as = next((each for each in SEND_AS if each == form.get("as")), SEND_AS[0])
    return SendPressed(version_in(form) or newest, send_as, form.get("corrects", ""))


async def _refused(at: AtDesk, draft: NightDraft, sheet: NightSheet, sent: SentNight) -> Response:
    tried = TriedNight(similar=sent.similar, refusal=sent.refusal)
    return await _look(at, draft, sheet, tried, status=409)


async def _look(
    at: AtDesk,
    draft: NightDraft,
    sheet: NightSheet,
    tried: TriedNight,
    *,
    status: int = 200,
    is_changed: bool = False,
) -> Response:
    day = read_day(sheet.night.day)
    assert day is not None, "Nothing is missing."
    return at.page(
        "desk/night/look.html",
        title=_("Look at the night"),
        tab=NIGHT_TAB,
        status=status,
        here=at.path(f"/night/{draft.draft_id}"),
        version=draft.version,
        is_changed=is_changed,
        day=day,
        weekday=weekday_words(day),
        night=sheet.night,
        typed=as_results(sheet),
        shortened=_shortened(sheet),
        tried=tried,
        similar=await similar_nights(at, tried),
    )


async def similar_nights(at: AtDesk, tried: TriedNight) -> Sequence[RecordedNight]:
    """Return the sessions to compare with: that which is this very night, or those it is like."""
    asked = [tried.same] if tried.same else tried.similar[:SIMILAR_MAX]
    found = [await at.room.nights.recorded(at.desk.source, each) for each in asked]
    return [each for each in found if each is not None]


def _shortened(sheet: NightSheet) -> Sequence[tuple[str, str]]:
    """Return what was typed of names that were found by their beginnings, each once."""
    seats = [seat for *_at, seat in seats_of(sheet.night) if seat.short]
    return list(dict.fromkeys((seat.short, seat.who) for seat in seats))


def weekday_words(day: date) -> str:
    """Return the name of a day of the week, which shows a wrong date at once."""
    return (
        _("Monday"),
        _("Tuesday"),
        _("Wednesday"),
        _("Thursday"),
        _("Friday"),
        _("Saturday"),
        _("Sunday"),
    )[day.weekday()]


def correction_path(draft: NightDraft) -> str:
    """Return where a correction is looked at before it counts, behind the address of the desk."""
    return f"/sessions/{draft.corrects}/correction/{draft.draft_id}"


def as_results(sheet: NightSheet) -> Sequence[TableResult]:
    """Return a night in which nothing is missing as it would stand on record."""
    return [_as_result(table, sheet) for table in sheet.night.tables if not table.is_empty]


def _as_result(table: TypedTable, sheet: NightSheet) -> TableResult:
    seats = []
    for seat in table.seats:
        who = sheet.seated.who(seat.who) if seat.who else None
        if isinstance(who, AtTable):
            points = read_points(seat.points) if sheet.night.has_points else None
            seats.append(SeatResult(who.label, read_count(seat.won) or 0, points))
    return TableResult(read_games(table.games) or 0, read_count(table.wall) or 0, seats)
