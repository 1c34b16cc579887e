"""The pages on which a night is typed. Each press of a button keeps and shows what was typed."""

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import DESK_PATH, AtDesk
from services.site.desk.night.keeping import (
    NIGHT_TAB,
    NightSheet,
    draft_id_in,
    guests_at,
    keep_night,
    keeper_of,
    lead_from_form,
    read_night,
    sheet_of,
)
from services.site.desk.night.moving import MOVES
from services.site.desk.night.nights import NightDraft
from services.site.desk.night.pressing import OTHER, pressed_on
from services.site.desk.night.roster import BOB
from services.site.desk.night.typed import (
    KINDS,
    TABLES_MAX,
    TypedNight,
    TypedTable,
    read_night_form,
)
from services.site.kit.pages import SitePages
from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from services.site.login.held import held_page


async def begin_night(_request: Request, at: AtDesk) -> Response:
    """Show an empty night, as the club usually plays. Nothing is kept before a press."""
    nights = at.room.nights
    kind, games = await nights.usual(at.desk.source)
    night = TypedNight(nights.today_of_clubs.isoformat(), kind, (TypedTable(1, games),))
    sheet = await sheet_of(at, night, is_asked=False)
    waiting = await nights.open_nights(at.login, at.desk.source)
    return _form(at, nights.new_draft_id(), sheet, waiting=waiting, focus="who-0-0")


async def open_night(request: Request, at: AtDesk) -> Response:
    """Show a night as it was typed so far, on whatever device."""
    draft = await draft_at(request, at)
    if draft.state != "open":
        return lead_off(at.path(f"/night/{draft.draft_id}/sent"))
    is_asked = request.query_params.get("check") == "yes"
    are_names_asked = request.query_params.get("names") == "yes"
    is_typing = not (is_asked or are_names_asked)
    sheet = await sheet_of(at, draft.night, is_asked=is_asked, is_typing=is_typing)
    focus = "" if is_asked else _focus(sheet.night, request.query_params.get("at", ""))
    return _form(
        at,
        draft.draft_id,
        sheet,
        version=draft.version,
        corrects=draft.corrects,
        focus=focus,
        is_asked=is_asked,
        is_saved=request.query_params.get("saved") == "yes",
        are_names_asked=are_names_asked,
    )


async def type_night(request: Request, at: AtDesk) -> Response:
    """Keep what was typed, do what the button says, and show the night again."""
    draft_id = draft_id_in(request)
    sent = await read_night(request)
    pressed = sent.get("do", "")
    typed = read_night_form(sent)
    night = pressed_on(typed, pressed)
    sheet = await sheet_of(at, night, is_asked=True)
    kept = await keep_night(at, draft_id, sent, sheet)
    if kept is None:
        return lead_from_form(request, at.path(f"/night/{draft_id}/sent"))
    path = at.path(f"/night/{kept.draft_id}")
    if pressed == "look":
        path += "?check=yes" if sheet.missing else "/look"
    elif pressed == "save":
        path += "?saved=yes"
    elif len(night.tables) > len(typed.tables):
        path += f"?at={len(typed.tables)}"
    elif pressed in MOVES or pressed.startswith(OTHER):
        path += "?check=yes"
    return lead_from_form(request, path)


async def drop_night(request: Request, at: AtDesk) -> Response:
    """Throw a night away that nobody has sent."""
    await at.room.nights.drop(at.login, at.desk.source, draft_id_in(request))
    return lead_to(at.path("?dropped=yes"))


async def hold_typed(request: Request, site: SitePages) -> Response:
    """Give back what somebody sent whose login has ended, to be sent again after the next one."""
    return held_page(request, site, await read_night(request), leads_to=DESK_PATH)


async def draft_at(request: Request, at: AtDesk) -> NightDraft:
    """Return the draft of an address. Raises UnknownDraft."""
    return await at.room.nights.draft(at.login, at.desk.source, draft_id_in(request))


def _form(
    at: AtDesk,
    draft_id: str,
    sheet: NightSheet,
    *,
    version: int = 0,
    corrects: str | None = None,
    focus: str = "",
    is_asked: bool = False,
    is_saved: bool = False,
    are_names_asked: bool = False,
    waiting: Sequence[object] = (),
) -> Response:
    night = sheet.night
    wrong: dict[str, str] = {}
    for place, words in sheet.missing:
        wrong.setdefault(place, words)
    return at.page(
        "desk/night/enter.html",
        title=_("Enter a night") if corrects is None else _("Correct a session"),
        tab=NIGHT_TAB,
        action=at.path(f"/night/{draft_id}"),
        night=night,
        version=version,
        corrects=corrects,
        kinds=KINDS,
        people=[each.label for each in sheet.roster.people],
        bob=BOB.label,
        guests_at=guests_at(night),
        wrong=wrong,
        mistakes_made=sheet.missing if is_asked else (),
        focus=focus,
        is_saved=is_saved,
        waiting=waiting,
        page=at.room.nights.new_page(),
        keeper=keeper_of(at),
        are_names_asked=are_names_asked,
        has_room=len(night.tables) < TABLES_MAX,
    )


def _focus(night: TypedNight, at: str) -> str:
    """Return the field in which typing goes on: the first of a new table that is empty."""
    if not (at.isascii() and at.isdecimal()) or int(at[:3]) >= len(night.tables):
        return ""
    number = int(at[:3])
    return f"won-{number}-0" if night.tables[number].seats[0].who else f"who-{number}-0"
