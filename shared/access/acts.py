"""Has everything that is done with a key of the operator kept, and every look at an address.

An act is kept before it is done, or before what was looked up is shown. So none is missing, and
what was refused afterward is kept as well.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeAlias

from shared.http.callers import Caller
from shared.http.routes import handed_in

# What is kept of who has the machine, a key of the operator or a login of staff. What was kept
# stays as it is, so none is ever renamed.
StaffActKind: TypeAlias = Literal[
    "adopt_formula",
    "adopt_formula_from_beginning",
    "adopt_formula_from_now",
    "answer_dispute",
    "approve_application",
    "ask_applicant",
    "change_source",
    "correct_session",
    "decline_application",
    "drop_mail",
    "end_verification",
    "erase_note",
    "find_by_address",
    "forget_oneself",
    "forget_player",
    "hide_player",
    "leave_verification",
    "list_members",
    "list_staff",
    "look_at_application",
    "look_up_players",
    "make_operator",
    "make_owner",
    "make_reviewer",
    "make_scorer",
    "merge_players",
    "reassign_seats",
    "register_player",
    "release_check",
    "remove_member",
    "remove_staff",
    "reset_staff",
    "resume_source",
    "retry_mail",
    "see_mail",
    "see_sheet",
    "show_player",
    "suspend_source",
    "unmerge_player",
    "verify_player",
    "void_session",
    "void_sessions",
]

# What was sent in the place of an id may be anything, also an address, and is not kept.
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class OperatorActs:
    """Keeps acts by the id of a key, what was done, and about whom, by ids. The wiring says where.

    Raises ServiceUnavailable; then nothing may be done or shown.
    """

    write: Callable[[str, StaffActKind, Sequence[str]], Awaitable[None]]

    async def keep(self, caller: Caller, act: StaffActKind, *about: str) -> None:
        """Keep an act of the operator. What sources do with their own sessions is no such act."""
        if caller.kind == "operator":
            await self.write(caller.key_id, act, [each for each in about if _ID.fullmatch(each)])


Acts: TypeAlias = Annotated[OperatorActs, handed_in(OperatorActs)]
