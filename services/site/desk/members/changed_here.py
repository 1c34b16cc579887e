"""The page on which owners read what was changed at their desk, and by whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.members.reading_acts import ListedDeskAct, list_desk_acts
from services.site.desk.at_desk import AtDesk
from services.site.desk.members.listed import MEMBERS_TAB
from services.site.kit.words import _

ACTS_SHOWN: Final = 50
_NUMBER_DIGITS_MAX: Final = 18
_SOMEBODY: Final = _("somebody")
_WHAT: Final[Mapping[str, str]] = {
    "invite_scorer": _("Invited {whom} as a scorer"),
    "invite_owner": _("Invited {whom} as an owner"),
    "withdraw_invitation": _("Withdrew the invitation of {whom}"),
    "decline_invitation": _("{whom} said no to the invitation"),
    "join_as_scorer": _("{whom} said yes, and is a scorer"),
    "join_as_owner": _("{whom} said yes, and is an owner"),
    "make_scorer": _("Made {whom} a scorer"),
    "make_owner": _("Made {whom} an owner"),
    "remove_member": _("Removed {whom}"),
    "leave": _("{whom} left"),
    "make_key": _("Made the key {key}"),
    "revoke_key": _("Revoked the key {key}"),
    "add_webhook": _("Added {key} for events"),
    "remove_webhook": _("Removed {key} for events"),
    "switch_webhook_on": _("Switched {key} on for events"),
    "switch_webhook_off": _("Switched {key} off for events"),
    "make_webhook_secret": _("Made a new secret for {key}"),
    "end_webhook_secret": _("Stopped using the old secret of {key}"),
    "change_profile": _("Changed the profile"),
}
_DONE_BY: Final[Mapping[str, str]] = {
    "you": _("You"),
    "operator": _("Mahjic’s staff"),
    "gone": _("Somebody who is no longer here"),
    "member": _("A member"),
}
# Who said yes, no or goodbye did it themselves.
_BY_THEMSELVES: Final = frozenset(
    {"decline_invitation", "join_as_scorer", "join_as_owner", "leave"}
)


@dataclass(frozen=True, slots=True)
class ToldAct:
    """An act in words."""

    at: datetime
    who: str
    what: str


async def acts_page(request: Request, at: AtDesk) -> Response:
    """Show the newest acts, or those before one."""
    acts = await list_desk_acts(
        at.room.door.accounts,
        at.login,
        at.desk.source,
        before=_number(request.query_params.get("before", "")),
        limit=ACTS_SHOWN,
    )
    older = at.path(f"/acts?before={acts[-1].number}") if len(acts) == ACTS_SHOWN else ""
    return at.page(
        "desk/members/acts.html",
        title=_("What was changed here"),
        tab=MEMBERS_TAB,
        acts=[told_act(each) for each in acts],
        older=older,
    )


def told_act(act: ListedDeskAct) -> ToldAct:
    """Return an act in words; an address that is gone is somebody's."""
    unnamed = _("you") if act.is_about_you else _SOMEBODY
    words = _WHAT[act.act].format(whom=act.whom or unnamed, key=act.key_id)
    who = "" if act.act in _BY_THEMSELVES else act.doer or _DONE_BY[act.done_by]
    if act.done_by == "you" and who:
        who = _DONE_BY["you"]
    # An address is written as it is, also at the beginning.
    return ToldAct(act.at, who, words if act.whom else words[:1].upper() + words[1:])


def _number(typed: str) -> int | None:
    is_number = typed.isascii() and typed.isdigit() and len(typed) <= _NUMBER_DIGITS_MAX
    return int(typed) if is_number else None
