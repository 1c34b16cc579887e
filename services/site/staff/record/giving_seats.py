"""Gives somebody's seats in some sessions to another player: what would move is shown first."""

from typing import Final
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import AtStaff
from services.site.staff.changes import RecordMoved
from services.site.staff.record.finding_players import PATH, TAB
from services.site.staff.record.shown_before import as_of, newer_than
from shared.http.browser.forms import read_form
from shared.http.player_ids import read_id
from shared.ids import MistypedPlayerIdError, is_session_id, read_player_id

# As many as the page lists.
SESSIONS_MAX: Final = 100


async def reseat_page(request: Request, at: AtStaff) -> Response:
    """Ask which seats go to whom, or show what that would do."""
    player_id = read_id(request.path_params["player_id"])
    chosen = _sessions(request.query_params.getlist("session"))
    typed = request.query_params.get("to", "")[:100]
    to, wrong = _read_taker(typed, chosen, is_asked="to" in request.query_params)
    look = None
    if to:
        after = newer_than(request)
        look = await at.room.merges.look_at_reseat(player_id, to, chosen, newer_than=after)
    return at.page(
        "staff/record/reseat.html",
        title=_("Give seats of {} to somebody else").format(player_id),
        tab=TAB,
        status=422 if wrong else 200,
        player=await at.room.players.one(player_id),
        sessions=[] if look else await at.room.merges.sessions(player_id),
        chosen=chosen,
        typed=typed,
        wrong=wrong,
        look=look,
        moves=look.moves if look else None,
        here=_here(player_id, to, chosen),
        has_moved=request.query_params.get("moved") == "yes",
    )


async def reseat(request: Request, at: AtStaff) -> Response:
    """Give the seats, if the record stands as it was shown."""
    player_id = read_id(request.path_params["player_id"])
    form = await read_form(request)
    to, chosen = read_id(form.get("to", "")), _sessions(form.get("sessions", "").split())
    if not chosen:
        return lead_to(_here(player_id, to, chosen))
    try:
        await at.room.merges.reseat(at.login, player_id, to, chosen, as_of=as_of(form))
    except RecordMoved:
        here = _here(player_id, to, chosen)
        return lead_to(f"{here}&after={as_of(form)}&moved=yes")
    return lead_to(f"{PATH}/{player_id}?done=reseated")


def _read_taker(typed: str, chosen: list[str], *, is_asked: bool) -> tuple[str, dict[str, str]]:
    """Return who gets the seats, or what is wrong with what was typed and marked."""
    if not is_asked:
        return "", {}
    wrong = {} if chosen else {"sessions": _("Check at least one session.")}
    try:
        to = read_player_id(typed)
    except MistypedPlayerIdError as error:
        return "", {"to": str(error), **wrong}
    return "" if wrong else to, wrong


def _sessions(texts: list[str]) -> list[str]:
    return list(dict.fromkeys(filter(is_session_id, texts)))[:SESSIONS_MAX]


def _here(player_id: str, to: str, chosen: list[str]) -> str:
    asked = urlencode([("to", to), *(("session", each) for each in chosen)])
    return f"{PATH}/{player_id}/reseat?{asked}"
