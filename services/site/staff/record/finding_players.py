"""Finds a player by Mahjic ID, or by address; that somebody looked for an address is kept."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from shared.errors import ClaimRefused
from shared.http.browser.forms import read_form
from shared.ids import MistypedPlayerIdError, read_player_id

TAB: Final = "/players"
PATH: Final = f"{STAFF_PATH}{TAB}"
NOT_FOUND: Final = 404
_CHARACTERS_MAX: Final = 400


async def find_page(request: Request, at: AtStaff) -> Response:
    """Ask whom to look for, or lead to whoever has the id that was typed."""
    typed = request.query_params.get("id", "")[:_CHARACTERS_MAX]
    if not typed.strip():
        return _shown(at)
    try:
        return lead_off(f"{PATH}/{read_player_id(typed)}")
    except MistypedPlayerIdError as error:
        return _shown(at, typed_id=typed, wrong={"id": str(error)}, status=422)


async def find_by_address(request: Request, at: AtStaff) -> Response:
    """Lead to whoever has an address."""
    typed = (await read_form(request)).get("email", "")
    try:
        found = await at.room.players.find(at.login, typed)
    except ClaimRefused as refused:
        wrong = {"email": refused.mistakes[0].message}
        return _shown(at, typed=typed, wrong=wrong, status=refused.status)
    if found is None:
        return _shown(at, typed=typed, is_unknown=True, status=NOT_FOUND)
    return lead_to(f"{PATH}/{found}")


async def register(request: Request, at: AtStaff) -> Response:
    """Put somebody on record, and lead to them."""
    typed = (await read_form(request)).get("email", "")
    try:
        found = await at.room.players.register(at.login, typed)
    except ClaimRefused as refused:
        wrong = {"email": refused.mistakes[0].message}
        return _shown(at, typed=typed, wrong=wrong, status=refused.status)
    return lead_to(f"{PATH}/{found}")


def _shown(
    at: AtStaff,
    *,
    typed_id: str = "",
    typed: str = "",
    wrong: dict[str, str] | None = None,
    is_unknown: bool = False,
    status: int = 200,
) -> Response:
    return at.page(
        "staff/record/find.html",
        title=_("Players"),
        tab=TAB,
        status=status,
        typed_id=typed_id,
        typed=typed[:_CHARACTERS_MAX],
        wrong=wrong or {},
        is_unknown=is_unknown,
    )
