"""A player at the staff desk, and what can be done that moves no rating; each is asked first."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_off, lead_to
from services.site.staff.at_staff import AtStaff
from services.site.staff.players_at_staff import PLAYER_ACTS, PlayerAct, PlayerOnRecord
from services.site.staff.record.finding_players import PATH, TAB
from services.site.staff.verified.file_told import acts_fitting, told_of
from shared.errors import MahjicError, NotFound
from shared.http.browser.forms import read_form
from shared.http.player_ids import read_id
from shared.ids import MistypedPlayerIdError, read_player_id

_TOO_LATE: Final = _("This can’t be done to this player now. The player’s page shows what can.")


async def player_page(request: Request, at: AtStaff) -> Response:
    """Show a player, and what can be done."""
    typed = request.path_params["player_id"]
    player_id = read_id(typed)
    if typed != player_id:
        return lead_off(f"{PATH}/{player_id}")
    player, file = await at.room.players.one(player_id), await at.room.verified.on_file(player_id)
    return at.page(
        "staff/record/player.html",
        title=player_id,
        tab=TAB,
        player=player,
        told=told_of(file),
        decisions=acts_fitting(file, is_known=player.is_known),
        done=request.query_params.get("done", ""),
    )


async def ask_page(request: Request, at: AtStaff) -> Response:
    """Say what an act means, and ask for it."""
    act, player_id = _act_in(request), read_id(request.path_params["player_id"])
    return await _asked(at, player_id, act)


async def do_act(request: Request, at: AtStaff) -> Response:
    """Do what was asked for."""
    act, player_id = _act_in(request), read_id(request.path_params["player_id"])
    if act == "forget":
        typed = (await read_form(request)).get("typed", "")
        if not _names(typed, player_id):
            words = _("Nothing was erased. To confirm, type this player’s Mahjic ID exactly.")
            return await _asked(at, player_id, act, mistake=words, status=422)
    try:
        await at.room.players.act(at.login, player_id, act)
    except NotFound:
        raise
    except MahjicError as refused:
        if refused.status >= 500:
            raise
        return await _asked(at, player_id, act, mistake=refused.detail, status=refused.status)
    return lead_to(f"{PATH}/{player_id}?done={act}")


def fitting_acts(player: PlayerOnRecord) -> list[PlayerAct]:
    """Return what can be done to a player as things are."""
    if player.player_id != player.survivor or not player.is_known:
        return []
    return [
        "show" if player.is_private else "hide",
        "forget",
    ]


async def _asked(
    at: AtStaff, player_id: str, act: PlayerAct, *, mistake: str = "", status: int = 200
) -> Response:
    player = await at.room.players.one(player_id)
    if not mistake and act not in fitting_acts(player):
        mistake, status = _TOO_LATE, 409
    return at.page(
        "staff/record/ask.html",
        title=player_id,
        tab=TAB,
        status=status,
        player=player,
        act=act,
        can_be_done=act in fitting_acts(player),
        mistake=mistake,
    )


def _act_in(request: Request) -> PlayerAct:
    for act in PLAYER_ACTS:
        if act == request.path_params["act"]:
            return act
    raise NotFound("There is nothing at this address.")


def _names(typed: str, player_id: str) -> bool:
    try:
        return read_player_id(typed) == player_id
    except MistypedPlayerIdError:
        return False
