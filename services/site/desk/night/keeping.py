"""Reads what is typed of a night, finds what is missing in it, and keeps it."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from starlette.responses import JSONResponse, Response

from services.accounts.tokens import is_id
from services.site.desk.at_desk import AtDesk
from services.site.desk.night.missing import Missing, what_is_missing
from services.site.desk.night.nights import KeptNight, TypedAs, UnknownDraft
from services.site.desk.night.roster import Roster
from services.site.desk.night.seated import WhoSits, named_in, settle
from services.site.desk.night.typed import GUESTS_MAX, TABLES_MAX, TypedNight
from services.site.login.door import lead_to
from shared.http.browser.forms import read_form

NIGHT_TAB: Final = "/night"
# A hall of the most tables, with long names; a usual night is a tenth of it.
NIGHT_BYTES_MAX: Final = 128 << 10
NIGHT_FIELDS_MAX: Final = TABLES_MAX * 19 + GUESTS_MAX * 3 + 10
NO_STORE: Final = {"Cache-Control": "no-store"}
_VERSION: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
_PAGE: Final = re.compile(r"[A-Za-z0-9_-]{1,40}", re.ASCII)


@dataclass(frozen=True, slots=True)
class NightSheet:
    """A night with everything that is known about it: who sits there, and what is missing."""

    night: TypedNight
    roster: Roster
    seated: WhoSits
    missing: Sequence[Missing]


def draft_id_in(request: Request) -> str:
    """Return the id in the address of a night. Raises UnknownDraft for what was never given out.

    Nothing may be kept under it: it could be too long for PostgreSQL, or not valid there.
    """
    draft_id: str = request.path_params["draft_id"]
    if not is_id(draft_id):
        raise UnknownDraft
    return draft_id


def version_in(sent: Mapping[str, str]) -> int | None:
    """Return the version of a draft that a form was made of, None if it does not say so."""
    version = sent.get("version", "")
    return int(version) if _VERSION.fullmatch(version) else None


async def read_night(request: Request) -> Mapping[str, str]:
    """Return the fields of the form of a night."""
    return await read_form(request, bytes_max=NIGHT_BYTES_MAX, fields_max=NIGHT_FIELDS_MAX)


async def sheet_of(
    at: AtDesk, night: TypedNight, *, is_asked: bool, is_typing: bool = False
) -> NightSheet:
    """Return a night with whole names, and what is missing in it.

    While somebody `is_typing`, names stay as they are typed.
    """
    roster = Roster(await at.room.nights.people(at.desk.source))
    settled = settle(night, roster, is_typing=is_typing)
    seated = WhoSits(settled, roster)
    today = at.room.nights.today_latest
    missing = what_is_missing(settled, seated, today_latest=today, is_asked=is_asked)
    return NightSheet(settled, roster, seated, missing)


async def keep_night(
    at: AtDesk, draft_id: str, sent: Mapping[str, str], sheet: NightSheet
) -> KeptNight | None:
    """Keep a night, with what its form says of itself; None once it is on its way."""
    page = sent.get("page", "")
    typed = TypedAs(
        named_in(sheet.night, sheet.seated),
        version_in(sent) or 0,
        page if _PAGE.fullmatch(page) else "",
    )
    return await at.room.nights.save(at.login, at.desk.source, draft_id, sheet.night, typed)


def guests_at(night: TypedNight) -> dict[int, list[int]]:
    """Return below which table each guest is asked about: the first one where the name stands."""
    where: dict[int, list[int]] = {}
    for number, guest in enumerate(night.guests):
        for at, table in enumerate(night.tables):
            if any(seat.who.casefold() == guest.name.casefold() for seat in table.seats):
                where.setdefault(at, []).append(number)
                break
    return where


def keeper_of(at: AtDesk) -> str:
    """Return what tells the people apart who type nights in one browser."""
    return hashlib.sha256(f"night {at.login.account_id}".encode()).hexdigest()[:16]


def lead_from_form(request: Request, path: str) -> Response:
    """Lead to a page after a form; a script is told which one, and goes there itself."""
    if request.headers.get("accept") == "application/json":
        return JSONResponse({"leads_to": path}, headers=NO_STORE)
    return lead_to(path)
