"""The pages on which a night is typed. Each press of a button keeps and shows what was typed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.desk.at_desk import DESK_PATH, AtDesk
from services.site.desk.night.missing import Missing, what_is_missing
from services.site.desk.night.moving import MOVES, last_sitting, move_on, without_table
from services.site.desk.night.nights import NightDraft, UnknownDraft
from services.site.desk.night.roster import BOB, Roster
from services.site.desk.night.seated import WhoSits, named_in, settle
from services.site.desk.night.typed import (
    GUESTS_MAX,
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
from shared.http.browser.forms import read_form

NIGHT_TAB: Final = "/night"
# A hall of the most tables, with long names; a usual night is a tenth of it.
NIGHT_BYTES_MAX: Final = 128 << 10
NIGHT_FIELDS_MAX: Final = TABLES_MAX * 15 + GUESTS_MAX * 3 + 10
_VERSION_DIGITS_MAX: Final = 9


@dataclass(frozen=True, slots=True)
class NightSheet:
    """A night with everything that is known about it: who sits there, and what is missing."""

    night: TypedNight
    roster: Roster
    seated: WhoSits
    missing: Sequence[Missing]


async def sheet_of(at: AtDesk, night: TypedNight, *, is_asked: bool) -> NightSheet:
    """Return a night with whole names, and what is missing in it."""
    roster = Roster(await at.room.nights.people(at.desk.source))
    settled = settle(night, roster)
    seated = WhoSits(settled, roster)
    today = at.room.nights.today_latest
    missing = what_is_missing(settled, seated, today_latest=today, is_asked=is_asked)
    return NightSheet(settled, roster, seated, missing)


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
    sheet = await sheet_of(at, draft.night, is_asked=is_asked)
    focus = "" if is_asked else _focus(sheet.night, request.query_params.get("at", ""))
    is_saved = request.query_params.get("saved") == "yes"
    return _form(
        at,
        draft.draft_id,
        sheet,
        version=draft.version,
        focus=focus,
        is_asked=is_asked,
        is_saved=is_saved,
    )


async def type_night(request: Request, at: AtDesk) -> Response:
    """Keep what was typed, do what the button says, and show the night again."""
    draft_id = request.path_params["draft_id"]
    sent = await read_form(request, bytes_max=NIGHT_BYTES_MAX, fields_max=NIGHT_FIELDS_MAX)
    pressed = sent.get("do", "")
    night, path = read_night_form(sent), at.path(f"/night/{draft_id}")
    move = next((each for each in MOVES if each == pressed), None)
    if move is not None:
        before = len(night.tables)
        night = move_on(night, move)
        path += f"?at={before}" if len(night.tables) > before else "?check=yes"
    elif pressed.startswith("remove-") and pressed[7:].isdecimal():
        night = without_table(night, int(pressed[7:][:3]))
    elif pressed == "save":
        path += "?saved=yes"
    sheet = await sheet_of(at, night, is_asked=True)
    version = sent.get("version", "")
    is_kept = await at.room.nights.save(
        at.login,
        at.desk.source,
        draft_id,
        sheet.night,
        named_in(sheet.night, sheet.seated),
        version=int(version) if _is_version(version) else 0,
    )
    if not is_kept:
        return lead_to(f"{at.path(f'/night/{draft_id}')}/sent")
    if pressed == "look":
        path += "?check=yes" if sheet.missing else "/look"
    return lead_to(path)


async def drop_night(request: Request, at: AtDesk) -> Response:
    """Throw a night away that nobody has sent."""
    draft_id = request.path_params["draft_id"]
    await at.room.nights.drop(at.login, at.desk.source, draft_id)
    return lead_to(at.path("?dropped=yes"))


async def hold_typed(request: Request, site: SitePages) -> Response:
    """Give back what somebody sent whose login has ended, to be sent again after the next one."""
    sent = await read_form(request, bytes_max=NIGHT_BYTES_MAX, fields_max=NIGHT_FIELDS_MAX)
    return held_page(request, site, sent, leads_to=DESK_PATH)


async def draft_at(request: Request, at: AtDesk) -> NightDraft:
    """Return the draft of an address. Raises UnknownDraft."""
    draft_id = request.path_params["draft_id"]
    if not draft_id.isascii() or not draft_id.isprintable():
        raise UnknownDraft
    return await at.room.nights.draft(at.login, at.desk.source, draft_id)


def _form(
    at: AtDesk,
    draft_id: str,
    sheet: NightSheet,
    *,
    version: int = 0,
    focus: str = "",
    is_asked: bool = False,
    is_saved: bool = False,
    waiting: Sequence[object] = (),
) -> Response:
    night = sheet.night
    wrong: dict[str, str] = {}
    for place, words in sheet.missing:
        wrong.setdefault(place, words)
    return at.page(
        "desk/night/enter.html",
        title=_("Enter a night"),
        tab=NIGHT_TAB,
        action=at.path(f"/night/{draft_id}"),
        night=night,
        version=version,
        kinds=KINDS,
        people=[*(each.label for each in sheet.roster.people), BOB.label],
        guests_at=_guests_at(night),
        wrong=wrong,
        mistakes_made=sheet.missing if is_asked else (),
        focus=focus,
        is_saved=is_saved,
        waiting=waiting,
        is_hall=len(last_sitting(night)) > 1,
        has_room=len(night.tables) < TABLES_MAX,
    )


def _guests_at(night: TypedNight) -> dict[int, list[int]]:
    """Return below which table each guest is asked about: the first one where the name stands."""
    where: dict[int, list[int]] = {}
    for number, guest in enumerate(night.guests):
        for at, table in enumerate(night.tables):
            if any(seat.who.casefold() == guest.name.casefold() for seat in table.seats):
                where.setdefault(at, []).append(number)
                break
    return where


def _focus(night: TypedNight, at: str) -> str:
    """Return the field in which typing goes on: the first of a new table that is empty."""
    if not (at.isascii() and at.isdecimal()) or int(at[:3]) >= len(night.tables):
        return ""
    number = int(at[:3])
    return f"won-{number}-0" if night.tables[number].seats[0].who else f"who-{number}-0"


def _is_version(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _VERSION_DIGITS_MAX
