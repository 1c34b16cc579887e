"""The page on which staff read what all of them did, and whom they looked at: by ids."""

import re
from collections.abc import Mapping
from typing import Final

from fastapi import Request
from starlette.responses import Response

from services.accounts.acts import list_acts
from services.site.kit.words import _
from services.site.login.door import lead_off
from services.site.staff.at_staff import STAFF_PATH, AtStaff
from shared.http.routes import Route

ACTS_PATH: Final = f"{STAFF_PATH}/acts"
ACTS_SHOWN: Final = 50
ACT_WORDS: Final[Mapping[str, str]] = {
    "adopt_formula": _("Adopted a formula"),
    "adopt_formula_from_beginning": _("Adopted a formula from the beginning"),
    "adopt_formula_from_now": _("Adopted a formula from then on"),
    "answer_dispute": _("Answered a player about a session"),
    "approve_application": _("Approved an application"),
    "ask_applicant": _("Asked an applicant a question"),
    "change_source": _("Changed a source"),
    "correct_session": _("Corrected a session"),
    "decline_application": _("Declined an application"),
    "drop_mail": _("Gave up on a mail"),
    "end_verification": _("Ended a player’s verification"),
    "erase_note": _("Erased a note"),
    "find_by_address": _("Looked for a player by address"),
    "forget_oneself": _("Asked to be forgotten"),
    "forget_player": _("Had a player forgotten"),
    "hide_player": _("Made a player private"),
    "leave_verification": _("Took back what staff decided about a verification"),
    "list_members": _("Listed the members of a club"),
    "list_staff": _("Listed the staff"),
    "look_at_application": _("Looked at an application"),
    "look_up_players": _("Looked up players by address"),
    "make_operator": _("Made somebody an operator"),
    "make_owner": _("Made somebody an owner of a club"),
    "make_reviewer": _("Made somebody a reviewer"),
    "make_scorer": _("Made somebody a scorer of a club"),
    "merge_players": _("Merged two players"),
    "reassign_seats": _("Gave seats to another player"),
    "release_check": _("Let an identity check count that was held"),
    "register_player": _("Registered a player"),
    "remove_member": _("Removed a member of a club"),
    "remove_staff": _("Removed somebody from the staff"),
    "reset_staff": _("Reset the login of somebody on the staff"),
    "resume_source": _("Let a source send again"),
    "retry_mail": _("Sent a mail once more"),
    "see_mail": _("Looked at a mail"),
    "see_sheet": _("Looked at a session as a score sheet"),
    "show_player": _("Showed a player to everyone"),
    "suspend_source": _("Suspended a source"),
    "unmerge_player": _("Ended the merge of a player"),
    "verify_player": _("Verified a player"),
    "void_session": _("Voided a session"),
    "void_sessions": _("Voided sessions"),
}
# The number of an act, which fits into a bigint.
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,17}")


async def acts_page(request: Request, at: AtStaff) -> Response:
    """Show the newest acts, or those before one."""
    asked = request.query_params.get("before", "")
    before = int(asked) if _NUMBER.fullmatch(asked) else None
    acts = await list_acts(at.room.door.accounts, before=before, limit=ACTS_SHOWN)
    return at.page(
        "staff/acts.html",
        title=_("What staff did"),
        words=_("What staff did and whom they looked at. Nobody can change this list."),
        tab="/acts",
        acts=acts,
        words_of=words_of,
        older=f"{ACTS_PATH}?before={acts[-1].number}" if len(acts) == ACTS_SHOWN else "",
    )


def words_of(act: str) -> str:
    """Return an act in words; one that only a newer version knows by its name."""
    return ACT_WORDS.get(act, act.replace("_", " "))


async def moved_acts(_request: Request) -> Response:
    """Lead from where the list was to where it is, whoever asks."""
    return lead_off(ACTS_PATH)


MOVED_ROUTES: Final = (Route("GET", "/account/acts", moved_acts, ignores_unknown=True),)
