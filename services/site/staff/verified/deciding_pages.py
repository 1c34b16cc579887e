"""What staff decide about whether a player is Verified: each is asked first, with its reason."""

from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.site.kit.words import _
from services.site.login.door import lead_to
from services.site.staff.at_staff import AtStaff
from services.site.staff.record.finding_players import PATH, TAB
from services.site.staff.verified.file_told import (
    DECISION_ACTS,
    DecisionAct,
    acts_fitting,
    told_of,
)
from services.verification.entitlement import Decision
from shared.errors import MahjicError, NotFound
from shared.http.browser.forms import read_form
from shared.http.player_ids import read_id
from shared.own_words.short_texts import SHORT_TEXT_CHARACTERS_MAX, UnfitText

DECISIONS: Final[Mapping[DecisionAct, Decision | None]] = {
    "verify": "grant",
    "block": "block",
    "leave": None,
}
_TOO_LATE: Final = _(
    "This can’t be decided about this player now. The player’s page shows what can."
)


async def ask_page(request: Request, at: AtStaff) -> Response:
    """Say what a decision means, and ask for its reason."""
    return await _asked(at, read_id(request.path_params["player_id"]), _act_in(request))


async def decide(request: Request, at: AtStaff) -> Response:
    """Decide what was asked for."""
    act, player_id = _act_in(request), read_id(request.path_params["player_id"])
    typed = (await read_form(request)).get("reason", "")
    try:
        await at.room.verified.decide(at.login, player_id, DECISIONS[act], typed)
    except UnfitText as refused:
        return await _asked(at, player_id, act, typed=typed, wrong=refused.detail)
    except NotFound:
        raise
    except MahjicError as refused:
        if refused.status >= 500:
            raise
        return await _asked(at, player_id, act, typed=typed, refused=refused)
    return lead_to(f"{PATH}/{player_id}?done={act}")


async def _asked(
    at: AtStaff,
    player_id: str,
    act: DecisionAct,
    *,
    typed: str = "",
    wrong: str = "",
    refused: MahjicError | None = None,
) -> Response:
    player, file = await at.room.players.one(player_id), await at.room.verified.on_file(player_id)
    is_whole = player.player_id == player.survivor
    can_be_done = is_whole and act in acts_fitting(file, is_known=player.is_known)
    status = 422 if wrong else 200
    mistake = ""
    if refused is not None:
        mistake, status = refused.detail, refused.status
    elif not can_be_done:
        mistake, status = _TOO_LATE, 409
    return at.page(
        "staff/verified/decide.html",
        title=player_id,
        tab=TAB,
        status=status,
        player=player,
        told=told_of(file),
        act=act,
        can_be_done=can_be_done,
        typed=typed[: 4 * SHORT_TEXT_CHARACTERS_MAX],
        wrong={"reason": wrong} if wrong else {},
        mistake=mistake,
        characters_max=SHORT_TEXT_CHARACTERS_MAX,
    )


def _act_in(request: Request) -> DecisionAct:
    for act in DECISION_ACTS:
        if act == request.path_params["decision"]:
            return act
    raise NotFound("There is nothing at this address.")
